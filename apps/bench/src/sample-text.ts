const SENTENCES = [
  'Could you check whether the order has left the warehouse yet?',
  'Thanks, that helped a lot. One more thing about the invoice from last month.',
  'My number is +46 46 555 01 99 and I am at home after six.',
  'Please write to ada@example.com, she takes care of returns.',
  'The meeting is on Thursday, in the small room behind the kitchen.',
  'I have tried it twice, and both times the page stayed empty.',
  'We moved from the old house in spring; the new street has no name yet.',
  'The server at 203.0.113.7 answers slowly since this morning.',
  'It costs 1,299.00 now, which is more than the 999 I was told on 12.03.',
  'Can you summarise what we have agreed on so far, in a few sentences?',
]

/** Text in the style of a chat, with some personal data, of the given length in characters. */
export function chatText(length: number): string {
  let text = ''
  for (let index = 0; text.length < length; index++) text += `${SENTENCES[(index * 7) % SENTENCES.length]} `
  return text.slice(0, length)
}

/** Texts on which unbounded patterns take quadratic time, by name. */
export const HOSTILE_TEXTS: Readonly<Record<string, (length: number) => string>> = {
  'a.a.a.a': (length) => 'a.'.repeat(length / 2),
  digits: (length) => '4'.repeat(length),
  'digits and spaces': (length) => '1 '.repeat(length / 2),
  'groups of digits': (length) => '12 3456 789 0 12 345 '.repeat(length / 21),
  '@@@@': (length) => '@'.repeat(length),
  'letters without an end': (length) => 'x'.repeat(length),
}
