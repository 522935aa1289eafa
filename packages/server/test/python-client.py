"""Uses the official client as a program would, and prints what it got, as JSON."""

import json
import sys

from openai import APIError, APIStatusError, BadRequestError, OpenAI

client = OpenAI(base_url=sys.argv[1], api_key="key-of-ada", max_retries=0)
messages = [{"role": "user", "content": "Hello"}]
add = {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "number"}}}}
seen = {}

chat = client.chat.completions.create(model="small", messages=messages)
seen["chat"] = [chat.choices[0].message.content, chat.usage.total_tokens]

chunks = client.chat.completions.create(model="small", messages=messages, stream=True)
seen["chat_stream"] = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices[0].delta.content]

called = client.chat.completions.create(
    model="small", messages=messages, tools=[{"type": "function", "function": add}]
)
call = called.choices[0].message.tool_calls[0]
seen["chat_call"] = [call.function.name, call.function.arguments]

response = client.responses.create(model="small", input="Hello")
seen["response"] = [response.status, response.output_text, response.usage.total_tokens]

with client.responses.stream(model="small", input="Hello", tools=[{"type": "function", "strict": False, **add}]) as stream:
    seen["events"] = [event.type for event in stream if "delta" in event.type]
    final = stream.get_final_response()
    seen["response_stream"] = [item.type for item in final.output]

patient = OpenAI(base_url=sys.argv[1], api_key="key-of-ada", max_retries=2)
seen["refused"] = []
for name in ["too-long", "wrong-key", "no-credit"]:
    try:
        patient.chat.completions.create(model=name, messages=messages)
    except APIStatusError as error:
        seen["refused"].append([error.status_code, error.code])
try:
    for _ in patient.chat.completions.create(model="cut", messages=messages, stream=True):
        pass
except APIError as error:
    seen["cut"] = error.code

try:
    client.responses.create(model="support", input="Blocked")
except BadRequestError as error:
    seen["rejected"] = error.code

try:
    for _ in client.responses.create(model="support", input="Blocked", stream=True):
        pass
except APIError as error:
    seen["rejected_stream"] = error.code

seen["embeddings"] = [row.embedding for row in client.embeddings.create(model="vectors", input=["a", "bb"]).data]
seen["models"] = [model.id for model in client.models.list()]
print(json.dumps(seen))
