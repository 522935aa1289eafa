import { describe, expect, it } from 'vitest'
import { matchers } from '../matchers.ts'

expect.extend(matchers)

const completed = { status: 'completed', text: 'Hello' }

describe('toHaveText', () => {
  const chunks = [
    { type: 'step-start' },
    { type: 'text-delta', id: '1', textDelta: 'Rejected' },
    { type: 'step-discarded' },
    { type: 'text-delta', id: '1', textDelta: 'Hel' },
    { type: 'text-delta', id: '1', textDelta: 'lo ' },
    { type: 'step-finish' },
    { type: 'step-start' },
    { type: 'text-delta', id: '1', textDelta: 'again' },
    { type: 'finish' },
  ]

  it('reads results and chunks', async () => {
    expect(completed).toHaveText('Hello')
    expect(completed).toHaveText(/^Hel/)
    expect(completed).toHaveText(expect.stringContaining('ell'))
    expect(chunks).toHaveText('Hello again')
    expect([{ type: 'text-delta', id: '1', delta: 'Hi' }]).toHaveText('Hi')
    expect([{ type: 'text-delta', id: '1', text: 'Hi' }]).toHaveText('Hi')
    expect(completed).not.toHaveText('Hell')
  })

  it('reports the text', () => {
    expect(() => expect(completed).toHaveText('Bye')).toThrow(
      'expected the text to be "Bye", but it is "Hello"',
    )
    expect(() => expect(chunks).not.toHaveText(/again/)).toThrow('not to be /again/, but it is "Hello again"')
    expect(() => expect(5).toHaveText('Bye')).toThrow(
      'expected a result with a text, or a list of chunks, but received 5',
    )
  })
})
