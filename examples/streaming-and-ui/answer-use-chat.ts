/** Answers `useChat` of the AI SDK with a UI message stream. */
import assert from 'node:assert/strict'
import { Agent, MillraceError, parseUIMessages } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const agent = new Agent({ model: new ScriptedModel(['It turns.']) })

/** The route of the chat. The page has: useChat({ transport: new DefaultChatTransport({ api: '/chat' }) }). */
async function POST(request: Request): Promise<Response> {
  try {
    const { messages } = (await request.json()) as { messages: unknown }
    return agent.stream(parseUIMessages(messages)).toUIMessageStreamResponse()
  } catch (error) {
    if (MillraceError.isInstance(error)) return error.toResponse() // 400, with the reason
    throw error
  }
}

const post = (messages: unknown) =>
  POST(new Request('https://example.com/chat', { method: 'POST', body: JSON.stringify({ messages }) }))

const parts = [{ type: 'text', text: 'Does the wheel turn?' }]
const answer = await (await post([{ id: '1', role: 'user', parts }])).text()
console.log(answer) // data: {"type":"start", … data: {"type":"text-delta", … data: [DONE]
assert.match(answer, /"type":"text-delta","id":"text-1","delta":"turns\."/)

// A body that is not a list of messages is refused.
assert.equal((await post('Hello')).status, 400)
