import { type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { JsonOutputParser } from '@langchain/core/output_parsers'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { guardChatModel } from '../src/langchain/index.ts'
import { type Outcome, type Turn, testWayOut } from '../test/ways-out/corpus.ts'
import { RecordingTracer } from './recording-tracer.ts'
import { ScriptedChatModel } from './scripted-chat-model.ts'

// As in langchain.test.ts.
process.env.LANGCHAIN_CALLBACKS_BACKGROUND = 'false'

/** A loop by hand, as an application without an agent writes it. */
async function run({
  processors,
  lookUp,
  object,
  abortSignal: signal,
  input,
  timeout,
  model,
  stream,
}: Turn): Promise<Outcome> {
  const tracer = new RecordingTracer()
  const guarded = guardChatModel(new ScriptedChatModel(model), processors, {
    ...(timeout !== undefined && { timeout }),
  })
  const tools = lookUp && [
    tool((given: { key: string }) => lookUp(given), {
      name: 'lookUp',
      description: 'Looks up a key.',
      schema: z.object({ key: z.string() }),
    }),
  ]
  const runnable = tools ? guarded.bindTools?.(tools) : guarded
  const config = { callbacks: [tracer], ...(signal && { signal }) }
  const messages: BaseMessage[] = [new HumanMessage(input)]
  const reader: unknown[] = []
  const kept: unknown[] = [tracer.seen]
  let text = ''
  let error: unknown
  try {
    for (let step = 0; step < 3; step++) {
      let answer: any
      if (stream) {
        for await (const chunk of (await runnable?.stream(messages, config)) ?? []) {
          reader.push(chunk)
          text += chunk.text
          answer = answer ? answer.concat(chunk) : chunk
        }
      } else {
        answer = await runnable?.invoke(messages, config)
        reader.push(answer)
        text += answer.text
      }
      if (object) kept.push(await new JsonOutputParser().invoke(answer))
      if (!answer?.tool_calls?.length) break
      messages.push(answer)
      for (const call of answer.tool_calls) {
        const output = await tools?.[0]?.invoke(call.args)
        messages.push(new ToolMessage({ tool_call_id: call.id, content: JSON.stringify(output) }))
      }
    }
  } catch (thrown) {
    error = thrown
  }
  return { text, reader, kept, error }
}

testWayOut('guardChatModel', { run })
