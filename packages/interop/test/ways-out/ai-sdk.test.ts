import { guardModel, guardTools } from '@millrace/interop/ai-sdk'
import { generateText, isStepCount, Output, streamText, tool } from 'ai'
import { z } from 'zod'
import { type Outcome, type Turn, testWayOut } from './corpus.ts'

async function run(turn: Turn): Promise<Outcome> {
  const { processors, lookUp, object, abortSignal, input: prompt, timeout } = turn
  const tools = lookUp && {
    lookUp: tool({ inputSchema: z.object({ key: z.string() }), execute: (input) => lookUp(input) }),
  }
  const settings = {
    model: guardModel(turn.model, processors, { ...(timeout !== undefined && { timeout }) }),
    prompt,
    stopWhen: isStepCount(3),
    maxRetries: 0,
    ...(tools && { tools: guardTools(tools, processors) }),
    ...(object && {
      output: Output.object({ schema: z.object(Object.fromEntries(object.map((key) => [key, z.string()]))) }),
    }),
    ...(abortSignal && { abortSignal }),
  }
  if (!turn.stream) {
    try {
      const { text, steps, content, response } = await generateText(settings)
      return { text, reader: content, kept: [steps, response.messages], error: undefined }
    } catch (error) {
      return { text: '', reader: undefined, kept: undefined, error }
    }
  }
  let error: unknown
  const parts: unknown[] = []
  const result = streamText({
    ...settings,
    onError: (event) => {
      error ??= event.error
    },
  })
  let text = ''
  for await (const part of result.stream) {
    parts.push(part)
    if (part.type === 'text-delta') text += part.text
  }
  const kept = await Promise.all([result.steps, result.response.then(({ messages }) => messages)]).catch(
    () => undefined,
  )
  return { text, reader: parts, kept, error }
}

testWayOut('guardModel', { run })
