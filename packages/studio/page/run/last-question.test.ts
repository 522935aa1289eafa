import { expect, test } from 'vitest'
import { lastQuestion } from './last-question.ts'

const said = (role: 'user' | 'assistant', text: string, cut = false) => ({
  role,
  parts: [{ type: 'text' as const, text: { text, ...(cut && { cut: true as const }) } }],
})

test('the last message of the user can be asked again', () => {
  expect(lastQuestion([said('user', 'One'), said('user', 'Two'), said('assistant', 'Yes')])).toBe('Two')
})

test.each([
  ['was cut', said('user', 'The beginning', true)],
  ['has a hidden value', said('user', 'Write to •••••••••••')],
  ['is of the model', said('assistant', 'Yes')],
])('a message that %s is not offered: it would take the place of what was asked', (_, message) => {
  expect(lastQuestion([message])).toBeUndefined()
})
