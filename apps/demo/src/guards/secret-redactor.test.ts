import { Agent, type ChunkType, type ProcessOutputStreamArgs } from '@millrace/core'
import { collect, reasoning, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { SecretRedactor } from './secret-redactor.ts'

const SECRET = 'QUARTZ-7731'
const anyCut = fc.array(
  fc.constantFrom('QUARTZ-7731', 'quartz-', '7731', 'Q', 'qu', 'art', 'z', '-77', ' ', 'a stone'),
)

test('passes on at once all but what could still become the secret, however the text is cut', () => {
  fc.assert(
    fc.property(anyCut, (pieces) => {
      const processor = new SecretRedactor(SECRET)
      const state = {}
      const pass = (part: ChunkType) =>
        processor.processOutputStream({ part, state } as ProcessOutputStreamArgs)

      let sent = ''
      let received = ''
      for (const piece of pieces) {
        sent += piece
        received += textOf([pass({ type: 'text-delta', id: '1', textDelta: piece }) ?? []].flat())
        const redacted = sent.replace(/quartz-7731/gi, '[REDACTED]')
        const held = redacted.slice(received.length)
        expect(received + held).toBe(redacted)
        expect(held).toBe(longestOpenEnd(redacted))
      }
      received += textOf([pass({ type: 'text-end', id: '1' }) ?? []].flat())
      expect(received).toBe(sent.replace(/quartz-7731/gi, '[REDACTED]'))
    }),
  )
})

test('keeps the secret out of reasoning, calls, results and the prompt of the next step', async () => {
  const model = new ScriptedModel([
    [reasoning('It is quartz-7731, I think.'), toolCall('echo', { words: `say ${SECRET}` })],
    text([...'It is QUARTZ-7731']),
  ])
  const echo = {
    inputSchema: z.object({ words: z.string() }),
    execute: ({ words }: { words: string }) => `${words}: ${SECRET}`,
  }
  const agent = new Agent({ model, tools: { echo }, processors: [new SecretRedactor(SECRET)] })

  const stream = agent.stream('Well?')
  const chunks = await collect(stream.fullStream)

  expect(JSON.stringify([chunks, await stream.result, model.calls])).not.toMatch(/quartz-7731/i)
  expect(textOf(chunks)).toBe('It is [REDACTED]')
})

test('lets go of what looked like the beginning of the secret when the text ends', async () => {
  const agent = new Agent({
    model: new ScriptedModel([text(['A fine', ' quartz-'])]),
    processors: [new SecretRedactor(SECRET)],
  })
  expect((await agent.generate('What is it?')).text).toBe('A fine quartz-')
})

function longestOpenEnd(value: string): string {
  for (let length = SECRET.length - 1; length > 0; length--) {
    const end = value.slice(-length)
    if (end.length === length && end.toUpperCase() === SECRET.slice(0, length)) return end
  }
  return ''
}
