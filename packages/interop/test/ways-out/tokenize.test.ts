import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { FakeStreamingChatModel } from '@langchain/core/utils/testing'
import { type Processor, RequestContext, when } from '@millrace/core'
import { GuardSession, guardModel, guardTools } from '@millrace/interop/ai-sdk'
import { guardChatModel } from '@millrace/interop/langchain'
import { guardModel as guardAgentsModel, guardSessionInput } from '@millrace/interop/openai-agents'
import { PIIDetector } from '@millrace/pii'
import { collect, reasoning, ScriptedModel, text, toolCall } from '@millrace/testing'
import { generateText, isStepCount, type ModelMessage, Output, streamText, tool } from 'ai'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type {
  AgentsRequest,
  AgentsResponse,
  AgentsStreamEvent,
} from '../../src/openai-agents/agents-types.ts'

const JO = 'jo@example.com'
const AL = 'al@example.org'

const detector = (): PIIDetector =>
  new PIIDetector({ redaction: 'tokenize', hashKey: 'k'.repeat(32), types: ['email'] })

/** The placeholder that every such detector makes of a value. */
async function placeholderOf(value: string): Promise<string> {
  const model = new ScriptedModel(['ok'])
  await generateText({ model: guardModel(model, [detector()]), prompt: value })
  return /\[EMAIL_[0-9a-f]{12}\]/.exec(JSON.stringify(model.calls[0]?.prompt))?.[0] as string
}

const jo = await placeholderOf(JO)
const al = await placeholderOf(AL)

/** Pieces of a text, cut at these places. */
function cutAt(whole: string, cuts: readonly number[]): string[] {
  const edges = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length]
  return edges.slice(1).map((edge, index) => whole.slice(edges[index], edge))
}

function expectNoOriginals(model: ScriptedModel): void {
  const asked = JSON.stringify(model.calls)
  expect(asked).toContain('[EMAIL_')
  expect(asked).not.toMatch(/@example/)
}

const cuts = fc.array(fc.nat(), { maxLength: 8 })
/** Some look like the beginning of JSON. */
const begins = fc.constantFrom('Mail ', '', '[1] Mail ', '{', '["a", ', '" [')
const emits = fc.constantFrom('live' as const, 'step' as const)

describe('tokenize behind guardModel', () => {
  test('gives the caller the originals in text and reasoning, wherever the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(cuts, cuts, begins, emits, async (inText, inReasoning, begin, emit) => {
        const unknown = `[EMAIL_${'0'.repeat(12)}]`
        const model = new ScriptedModel([
          [
            reasoning(cutAt(`They are ${jo}.`, inReasoning)),
            text(cutAt(`${begin}${jo}${al}, not ${unknown}.`, inText)),
          ],
        ])
        const result = streamText({
          model: guardModel(model, [detector()], { emit }),
          prompt: `${JO} and ${AL}`,
        })
        const parts = await collect(result.stream)
        const said = parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('')
        expect(said).toBe(`${begin}${JO}${AL}, not ${unknown}.`)
        expect(await result.text).toBe(said)
        expect(await result.reasoningText).toBe(`They are ${JO}.`)
        expectNoOriginals(model)
      }),
      { numRuns: 60 },
    )
  })

  test('gives tools the originals, in the deltas of their input too, and the model placeholders of what they return', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.boolean(), async (chunkSize, guarded) => {
        const given: unknown[] = []
        const send = tool({
          inputSchema: z.object({ to: z.string() }),
          execute: (input) => {
            given.push(input)
            return { sent: input.to, copy: AL }
          },
        })
        const model = new ScriptedModel([
          [toolCall('send', { to: jo }, { chunkSize })],
          [text(`Sent to ${jo}, and ${al}.`, { chunkSize })],
        ])
        const processors = [detector()]
        const result = streamText({
          model: guardModel(model, processors),
          tools: guarded ? guardTools({ send }, processors) : { send },
          prompt: `Mail ${JO}`,
          stopWhen: isStepCount(3),
        })
        const parts = await collect(result.stream)
        const input = parts.map((part) => (part.type === 'tool-input-delta' ? part.delta : '')).join('')
        expect(JSON.parse(input)).toEqual({ to: JO })
        expect(given).toEqual([{ to: JO }])
        const steps = await result.steps
        expect(steps[0]?.toolCalls).toMatchObject([{ input: { to: JO } }])
        expect(steps[0]?.toolResults).toMatchObject([{ output: { sent: JO, copy: AL } }])
        expect(await result.text).toBe(`Sent to ${JO}, and ${AL}.`)
        expect(model.callCount).toBe(2)
        expectNoOriginals(model)
        expect(JSON.stringify(model.calls[1]?.prompt)).toContain(`"sent":"${jo}"`)
      }),
      { numRuns: 30 },
    )
  })

  test('gives the caller the error of a guarded tool with its originals', async () => {
    const send = tool({
      inputSchema: z.object({}),
      execute: (): string => {
        throw new Error(`No box for ${JO}.`)
      },
    })
    const model = new ScriptedModel([[toolCall('send', {})], 'It failed.'])
    const processors = [detector()]
    const { steps } = await generateText({
      model: guardModel(model, processors),
      tools: guardTools({ send }, processors),
      prompt: 'Send',
      stopWhen: isStepCount(2),
    })
    expect(JSON.stringify(steps[0]?.content, ['type', 'error', 'message'])).toContain('tool-error')
    const failed = steps[0]?.content.find(({ type }) => type === 'tool-error') as { error: Error }
    expect(failed.error.message).toBe(`No box for ${JO}.`)
    expectNoOriginals(model)
  })

  test('gives the caller an object with the originals', async () => {
    const odd = '"jo\\n"@example.com'
    for (const chunkSize of [1, 7, 100]) {
      const model = new ScriptedModel([[text(JSON.stringify({ to: jo, note: `${al}!` }), { chunkSize })]])
      const { output } = await generateText({
        model: guardModel(model, [detector()]),
        output: Output.object({ schema: z.object({ to: z.string(), note: z.string() }) }),
        prompt: `${JO}, ${AL}, ${odd}`,
      })
      expect(output).toEqual({ to: JO, note: `${AL}!` })
    }
  })

  test('tokenizes its own answers again in the next turn, to the same placeholders', async () => {
    for (const session of [undefined, new GuardSession()]) {
      const own = new PIIDetector({ redaction: 'tokenize' })
      const model = new ScriptedModel(({ prompt }, index) => {
        const [first, second] = JSON.stringify(prompt).match(/\[EMAIL_\w+\]/g) ?? []
        return [
          reasoning(`Turn ${index}: ${first}`),
          text(`${first} said it${index > 0 && first === second ? ' again' : ''}.`),
        ]
      })
      const guarded = guardModel(model, [own], session && { session })
      const messages: ModelMessage[] = []
      for (const [turn, prompt] of [`I am ${JO}.`, 'Who am I?', `And ${AL}?`].entries()) {
        messages.push({ role: 'user', content: prompt })
        const { text: answer, response } = await generateText({ model: guarded, messages })
        expect(answer).toBe(`${JO} said it${turn > 0 ? ' again' : ''}.`)
        messages.push(...response.messages)
      }
      expectNoOriginals(model)
      expect(new Set(JSON.stringify(model.calls).match(/\[EMAIL_\w+\]/g))).toHaveLength(2)
    }
  })

  test('does the same under a condition and after a retry', async () => {
    const retries: Processor = {
      id: 'retries',
      processOutputStep: ({ retryCount, abort }) =>
        retryCount === 0 ? abort('Again.', { retry: true }) : undefined,
    }
    const model = new ScriptedModel([
      [text(['Mail ', jo.slice(0, 9)])],
      [text(cutAt(`Mail ${jo}.`, [7, 15]))],
    ])
    const guarded = guardModel(model, [when(() => true, detector()), retries], { emit: 'step' })
    const result = streamText({ model: guarded, prompt: `To ${JO}` })
    expect(await result.text).toBe(`Mail ${JO}.`)
    expectNoOriginals(model)
  })

  test('does not open a placeholder that the conversation has no original of', async () => {
    const own = detector()
    const first = guardModel(new ScriptedModel(['ok']), [own])
    await generateText({ model: first, prompt: JO })
    const { text: answer } = await generateText({
      model: guardModel(new ScriptedModel([`It is ${jo}.`]), [own]),
      prompt: `Who is ${jo}?`,
    })
    expect(answer).toBe(`It is ${jo}.`)
  })

  test('gives the originals of an answer that a processor replaced at its end', async () => {
    const shouts: Processor = {
      id: 'shouts',
      processOutputResult: ({ messages, messageList }) => {
        for (const message of messages) {
          const parts = message.content.parts.map((part) =>
            part.type === 'text' ? { ...part, text: `Note: ${part.text}` } : part,
          )
          messageList.replace({ ...message, content: { ...message.content, parts } })
        }
      },
    }
    const model = new ScriptedModel([`Mail ${jo}.`])
    const { text: answer } = await generateText({
      model: guardModel(model, [detector(), shouts]),
      prompt: `To ${JO}`,
    })
    expect(answer).toBe(`Note: Mail ${JO}.`)
  })

  test('gives the originals of an answer that a processor gave in the place of the model', async () => {
    const halts: Processor = { id: 'halts', processInputStep: ({ halt }) => halt(`Ask ${jo}.`) }
    const model = new ScriptedModel([])
    const processors = [detector(), halts]
    const { text: answer } = await generateText({ model: guardModel(model, processors), prompt: `To ${JO}` })
    expect(answer).toBe(`Ask ${JO}.`)
  })

  test('passes data of processors to the application with the originals', async () => {
    const data: unknown[] = []
    const tells: Processor = {
      id: 'tells',
      async processOutputStep({ writer }) {
        await writer.write({ type: 'data-note', data: { of: jo } })
      },
    }
    const model = guardModel(new ScriptedModel(['ok']), [detector(), tells], {
      onData: (chunk) => data.push(chunk.data),
    })
    await generateText({ model, prompt: `To ${JO}` })
    expect(data).toEqual([{ of: JO }])
  })
})

test('tokenize behind guardChatModel gives a chain the originals', async () => {
  const model = new FakeStreamingChatModel({ responses: [new AIMessage(`Mail ${jo}.`)] })
  const guarded = guardChatModel(model, [detector()])
  expect((await guarded.invoke([new HumanMessage(`To ${JO}`)])).text).toBe(`Mail ${JO}.`)
  const chunks = await collect(await guarded.stream(`To ${JO}`))
  expect(chunks.map((chunk) => chunk.text).join('')).toBe(`Mail ${JO}.`)
})

describe('tokenize behind guardModel for OpenAI Agents', () => {
  const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  const said = [
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: `Mail ${jo}.` }] },
    { type: 'function_call', callId: 'c', name: 'send', arguments: `{"to":"${jo}"}`, status: 'completed' },
  ]
  const recorder = (asked: unknown[]) => ({
    async getResponse(request: AgentsRequest): Promise<AgentsResponse> {
      asked.push(request)
      return { usage, output: said, responseId: 'r' }
    },
    getStreamedResponse(): AsyncGenerator<AgentsStreamEvent> {
      throw new Error('It is not streamed.')
    },
  })
  const requestOf = (input: AgentsRequest['input']): AgentsRequest => ({
    input,
    modelSettings: {},
    tools: [],
    handoffs: [],
    outputType: 'text',
    tracing: false,
  })

  test('gives the run the originals', async () => {
    const asked: unknown[] = []
    const model = guardAgentsModel(recorder(asked), [detector()])
    const { output } = await model.getResponse(requestOf(`To ${JO}`))
    expect(JSON.stringify(output)).toContain(`Mail ${JO}.`)
    expect(JSON.stringify(output)).toContain(`{\\"to\\":\\"${JO}\\"}`)
    expect(JSON.stringify(asked)).not.toContain(JO)
  })

  test('gives the run the originals of what its session has placeholders for, in the same thread', async () => {
    const processors = [detector()]
    const options = { requestContext: new RequestContext({}, { threadId: 't' }) }
    const stored = await guardSessionInput(processors, options)([], [{ role: 'user', content: `To ${JO}` }])
    expect(JSON.stringify(stored)).toContain(jo)
    const { output } = await guardAgentsModel(recorder([]), processors, options).getResponse(
      requestOf(stored as never),
    )
    expect(JSON.stringify(output)).toContain(`Mail ${JO}.`)
  })
})
