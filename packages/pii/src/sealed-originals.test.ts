import { Agent, Suspend, tool } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { PIIDetector } from './pii-detector.ts'
import { originalsCipher } from './sealed-originals.ts'

const PLACEHOLDER = '[EMAIL_3f2a9c1b04d2]'

test('an original is read with its key, for its placeholder, as it was written, and else not', () => {
  const cipher = originalsCipher('a key')
  for (const original of ['jo@example.com', '', 'Zoë 🎈']) {
    const sealed = cipher.seal(PLACEHOLDER, original)
    expect(originalsCipher(new TextEncoder().encode('a key')).open(PLACEHOLDER, sealed)).toBe(original)
    expect(cipher.seal(PLACEHOLDER, original)).not.toBe(sealed)
    expect(originalsCipher('another key').open(PLACEHOLDER, sealed)).toBeUndefined()
    expect(cipher.open('[EMAIL_000000000000]', sealed)).toBeUndefined()
    const at = sealed.length - 2
    const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`
    expect(cipher.open(PLACEHOLDER, changed)).toBeUndefined()
  }
  for (const sealed of ['', 'AAAA', '%', '='.repeat(100)])
    expect(cipher.open(PLACEHOLDER, sealed)).toBeUndefined()
})

test('an empty key is refused', () => {
  for (const redaction of ['hash', 'tokenize'] as const)
    for (const hashKey of ['', new Uint8Array()])
      expect(() => new PIIDetector({ redaction, hashKey })).toThrow('hashKey is empty')
})

const ask = tool({
  inputSchema: z.object({}),
  execute: (_, { resumeData }) => {
    if (resumeData === undefined) throw new Suspend('Which?')
    return String(resumeData)
  },
})

test.each([
  ['the same key', 'a key', 'It is jo@example.com.'],
  ['another key', 'another key', /^It is \[EMAIL_[0-9a-f]{12}\]\.$/],
])('a run that is resumed by an instance with %s', async (_, hashKey, expected) => {
  const storage = new InMemoryRunStore()
  const agentWith = (key: string): Agent =>
    new Agent({
      model: new ScriptedModel(({ prompt }) =>
        prompt.some(({ role }) => role === 'tool')
          ? `It is ${/\[EMAIL_\w+\]/.exec(JSON.stringify(prompt))?.[0]}.`
          : toolCall('ask', {}),
      ),
      storage,
      tools: { ask },
      processors: [new PIIDetector({ redaction: 'tokenize', hashKey: key })],
    })
  const { runId } = await agentWith('a key').generate('I am jo@example.com')
  const { text } = await agentWith(hashKey).resume(runId, 'that one')
  expect(text).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected))
})
