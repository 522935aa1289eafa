import { expect, test } from 'vitest'
import { lastQuestion } from './last-question.ts'

const said = (role: 'user' | 'assistant', text: string, cut = false) => ({
  role,
  parts: [{ type: 'text' as const, text: { text, ...(cut && { cut: true as const }) } }],
})

test('offers the last user message', () => {
  expect(lastQuestion([said('user', 'One'), said('user', 'Two'), said('assistant', 'Yes')])).toBe('Two')
})

test.each([
  ['was cut', said('user', 'The beginning', true)],
  ['has a hidden value', said('user', 'Write to •••••••••••')],
  ['is of the model', said('assistant', 'Yes')],
])('does not offer a message that %s', (_, message) => {
  expect(lastQuestion([message])).toBeUndefined()
})
