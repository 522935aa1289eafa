import { expect, test } from 'vitest'
import { lastQuestion } from './last-question.ts'

const said = (role: 'user' | 'assistant', text: string, length?: number) => ({
  role,
  parts: [{ type: 'text' as const, text: { text, ...(length !== undefined && { length }) } }],
})

test('the last message of the user can be asked again', () => {
  expect(lastQuestion([said('user', 'One'), said('user', 'Two'), said('assistant', 'Yes')])).toBe('Two')
})

test.each([
  ['was cut', said('user', 'The beginning', 90_000)],
  ['has a hidden value', said('user', 'Write to •••••••••••')],
  ['is of the model', said('assistant', 'Yes')],
])('a message that %s is not offered: it would take the place of what was asked', (_, message) => {
  expect(lastQuestion([message])).toBeUndefined()
})
