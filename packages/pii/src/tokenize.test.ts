import { Agent, type Chunk, tool } from '@millrace/core'
import { collect, file, ScriptedModel, text, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PIIDetector } from './pii-detector.ts'

const address = 'jo@example.com'

/** The placeholder that a detector with this key makes. */
async function placeholderOf(detector: PIIDetector): Promise<string> {
  const model = new ScriptedModel(['ok'])
  await new Agent({ name: 'a', model, processors: [detector] }).generate(`It is ${address}`)
  return /\[EMAIL_[0-9a-f]{12}\]/.exec(JSON.stringify(model.calls[0]?.prompt))?.[0] ?? ''
}

const detectorOf = (): PIIDetector => new PIIDetector({ redaction: 'tokenize', hashKey: 'key' })

describe('tokenize', () => {
  test('gives the model and the transcript placeholders, and the caller the originals', async () => {
    const placeholder = await placeholderOf(detectorOf())
    expect(placeholder).not.toBe('')
    for (const chunkSize of [1, 4, 11, 100]) {
      const model = new ScriptedModel([text(`Mail ${placeholder}, I say.`, { chunkSize })])
      const stored: string[] = []
      const store = {
        id: 'store',
        processOutputResult: ({
          messageList,
        }: {
          messageList: { get(origin: 'input' | 'response'): unknown }
        }) => {
          stored.push(JSON.stringify([messageList.get('input'), messageList.get('response')]))
        },
      }
      const agent = new Agent({ name: 'a', model, processors: [detectorOf(), store] })
      const stream = agent.stream(`I am ${address}`)
      const chunks: Chunk[] = await collect(stream.fullStream)
      const streamed = chunks.map((part) => (part.type === 'text-delta' ? part.textDelta : '')).join('')
      expect(streamed).toBe(`Mail ${address}, I say.`)
      expect((await stream.result).text).toBe(`Mail ${address}, I say.`)
      expect(JSON.stringify((await stream.result).messages)).toContain(address)
      expect(JSON.stringify(model.calls)).not.toContain(address)
      expect(stored).toHaveLength(1)
      expect(stored[0]).toContain(placeholder)
      expect(stored[0]).not.toContain(address)
    }
  })

  test('gives the caller the originals in a file of the model', async () => {
    const placeholder = await placeholderOf(detectorOf())
    const bytes = new TextEncoder().encode(`Mail ${placeholder}.`)
    const model = new ScriptedModel([[file('text/csv', bytes), 'Here.']])
    const agent = new Agent({ name: 'a', model, processors: [detectorOf()] })
    const { messages } = await agent.generate(`I am ${address}`)
    const url = messages[0]?.content.parts.find((part) => part.type === 'file')?.url
    expect(atob(url?.split(',')[1] ?? '')).toBe(`Mail ${address}.`)
  })

  test('gives tools the originals, and the model placeholders of what they return', async () => {
    const placeholder = await placeholderOf(detectorOf())
    const given: unknown[] = []
    const send = tool({
      inputSchema: z.object({ to: z.string() }),
      execute: (input) => {
        given.push(input)
        return { sent: input.to, copy: 'al@example.org' }
      },
    })
    const model = new ScriptedModel([[toolCall('send', { to: placeholder }, { chunkSize: 5 })], ['done']])
    const agent = new Agent({ name: 'a', model, tools: { send }, processors: [detectorOf()] })
    const stream = agent.stream(`I am ${address}`)
    const chunks = await collect(stream.fullStream)
    expect(given).toEqual([{ to: address }])
    expect(JSON.stringify(model.calls)).not.toMatch(/@example/)
    expect(chunks.find((part) => part.type === 'tool-result')).toMatchObject({
      output: { sent: address, copy: 'al@example.org' },
    })
    const input = chunks.map((part) => (part.type === 'tool-input-delta' ? part.inputTextDelta : '')).join('')
    expect(JSON.parse(input)).toEqual({ to: address })
  })

  test('knows a placeholder in the next turn of the same resource, and nobody else does', async () => {
    const detector = detectorOf()
    const placeholder = await placeholderOf(detectorOf())
    const ask = async (resourceId: string, input: string): Promise<string> => {
      const model = new ScriptedModel([`You said ${placeholder}`])
      const agent = new Agent({ name: 'a', model, processors: [detector] })
      return (await agent.generate(input, { resourceId })).text
    }
    expect(await ask('jo', `I am ${address}`)).toBe(`You said ${address}`)
    expect(await ask('jo', 'Who am I?')).toBe(`You said ${address}`)
    expect(await ask('al', `Who is ${placeholder}?`)).toBe(`You said ${placeholder}`)
  })

  test('keeps 1,000 concurrent runs apart, in two agents and two instances', async () => {
    const model = () =>
      new ScriptedModel(({ prompt }) => [
        text(`You are ${/\[EMAIL_\w+\]/.exec(JSON.stringify(prompt))?.[0]}.`, { chunkSize: 5 }),
      ])
    const [one, two] = [detectorOf(), new PIIDetector({ id: 'two', redaction: 'tokenize' })]
    const agents = [
      new Agent({ name: 'a', model: model(), processors: [one, two] }),
      new Agent({ name: 'b', model: model(), processors: [one] }),
    ]
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, async (_, index) => {
        const agent = agents[index % 2] as Agent
        const input = `I am user${index}@example.com`
        const ids = index % 3 === 0 ? {} : { resourceId: `user${index}` }
        return index % 5 === 0 ? (await agent.generate(input, ids)).text : await agent.stream(input, ids).text
      }),
    )
    expect(answers).toEqual(answers.map((_, index) => `You are user${index}@example.com.`))
  })
})
