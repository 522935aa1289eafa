import { MemorySaver } from '@langchain/langgraph'
import { createAgent, providerStrategy, tool } from 'langchain'
import { z } from 'zod'
import { millraceMiddleware } from '../src/langchain/index.ts'
import { type Outcome, type Turn, testWayOut } from '../test/ways-out/corpus.ts'
import { RecordingTracer } from './recording-tracer.ts'
import { ScriptedChatModel } from './scripted-chat-model.ts'

// By default LangChain calls handlers in a queue that a stream does not wait for: under load its end comes before its text.
process.env.LANGCHAIN_CALLBACKS_BACKGROUND = 'false'

async function run({
  processors,
  lookUp,
  object,
  abortSignal,
  input,
  timeout,
  model,
  stream,
}: Turn): Promise<Outcome> {
  const tracer = new RecordingTracer()
  const checkpointer = new MemorySaver()
  const agent = createAgent({
    model: new ScriptedChatModel(model),
    checkpointer,
    middleware: [millraceMiddleware(processors, { ...(timeout !== undefined && { timeout }) })],
    ...(lookUp && {
      tools: [
        tool((given) => lookUp(given) as string, {
          name: 'lookUp',
          description: 'Looks up a key.',
          schema: z.object({ key: z.string() }),
        }),
      ],
    }),
    ...(object && {
      responseFormat: providerStrategy(z.object(Object.fromEntries(object.map((key) => [key, z.string()])))),
    }),
  })
  const config = {
    configurable: { thread_id: 'one' },
    callbacks: [tracer],
    ...(abortSignal && { signal: abortSignal }),
  }
  const messages = [{ role: 'user' as const, content: input }]
  let text = ''
  let error: unknown
  const reader: unknown[] = []
  try {
    if (stream) {
      const parts = await agent.stream(
        { messages },
        { ...config, streamMode: ['messages', 'updates', 'custom'] },
      )
      for await (const [mode, part] of parts) {
        reader.push(part)
        if (mode !== 'messages') continue
        const [message] = part as unknown as [{ type: string; text: string }]
        if (message.type === 'ai') text += message.text
      }
    } else {
      const result = await agent.invoke({ messages }, config)
      reader.push(result)
      for (const message of result.messages) if (message.type === 'ai') text += message.text
    }
  } catch (thrown) {
    error = thrown
  }
  const kept: unknown[] = [tracer.seen]
  for await (const { values } of agent.graph.getStateHistory(config)) kept.push(values)
  for await (const saved of checkpointer.list(config)) kept.push(saved)
  return { text, reader, kept, error }
}

testWayOut('millraceMiddleware', { run })
