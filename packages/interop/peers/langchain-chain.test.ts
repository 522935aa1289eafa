import { type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { JsonOutputParser, StringOutputParser } from '@langchain/core/output_parsers'
import { ChatPromptTemplate } from '@langchain/core/prompts'
import { tool } from '@langchain/core/tools'
import { RegexFilter } from '@millrace/guards/regex-filter'
import { hang, ScriptedModel, text, toolCall } from '@millrace/testing'
import { expect, test } from 'vitest'
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

const redact = () => [new RegexFilter({ patterns: [/KEY-\d{8}/], strategy: 'redact' })]

test('a chain with a guarded model streams, and traces the input as the processors left it', async () => {
  const script = new ScriptedModel([text(['It is KEY-1234', '5678.'])])
  const tracer = new RecordingTracer()
  const prompt = ChatPromptTemplate.fromMessages([
    ['system', 'Be brief.'],
    ['human', '{question}'],
  ])
  const chain = prompt
    .pipe(guardChatModel(new ScriptedChatModel(script), redact()))
    .pipe(new StringOutputParser())
  let said = ''
  for await (const piece of await chain.stream({ question: 'Is it KEY-87654321?' }, { callbacks: [tracer] }))
    said += piece
  expect(said).toBe('It is [REDACTED].')
  const calls = tracer.seen.filter((run) => JSON.parse(run).run_type === 'llm')
  expect(calls.length).toBeGreaterThan(0)
  for (const call of calls) {
    expect(call).not.toMatch(/KEY-\d/)
    expect(call).toContain('Is it [REDACTED]?')
  }
})

test('a guarded model returns structured output, and works in a batch', async () => {
  const script = new ScriptedModel(() => [toolCall('extract', { key: 'KEY-12345678' })])
  const model = guardChatModel(new ScriptedChatModel(script), redact())
  expect(await model.withStructuredOutput(z.object({ key: z.string() })).invoke('Hi')).toEqual({
    key: '[REDACTED]',
  })
  const plain = guardChatModel(new ScriptedChatModel(new ScriptedModel(() => 'KEY-12345678')), redact())
  expect((await plain.batch(['One', 'Two'])).map((answer) => answer.text)).toEqual([
    '[REDACTED]',
    '[REDACTED]',
  ])
})

test('leaving a stream early ends the call of the model', async () => {
  const script = new ScriptedModel([[text('One. '), hang()]])
  for await (const _ of await guardChatModel(new ScriptedChatModel(script), []).stream('Hi', {
    signal: AbortSignal.timeout(2_000),
  }))
    break
  await expect.poll(() => script.lastStream.outcome, { timeout: 5_000 }).toMatch(/aborted|cancelled/)
})

test('the same messages can be used in two concurrent calls', async () => {
  const model = guardChatModel(new ScriptedChatModel(new ScriptedModel(() => 'Fine.')), redact())
  const messages = [new HumanMessage('KEY-12345678')]
  const answers = await Promise.all([model.invoke(messages), model.invoke(messages)])
  expect(answers.map((answer) => answer.text)).toEqual(['Fine.', 'Fine.'])
  expect(messages[0]?.text).toBe('KEY-12345678')
})

test('accepts call settings, and a model with bound settings', async () => {
  const script = new ScriptedModel(() => 'Fine.')
  const bound = new ScriptedChatModel(script).withConfig({ stop: ['END'] })
  await guardChatModel(bound, redact()).invoke('Hi')
  expect(() => guardChatModel({} as never, [])).toThrow(/not a LangChain chat model/)
  expect(() => guardChatModel('openai:gpt-5' as never, [])).toThrow(/not a LangChain chat model/)
})
