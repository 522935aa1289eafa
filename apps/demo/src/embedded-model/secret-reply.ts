import type { Dialogue } from './dialogue.ts'

/** Refuses to tell the code in the instructions, unless the user has a story: the guard must then catch it. */
export function secretReply({ question, instructions, brief }: Dialogue): string | undefined {
  if (brief || !/\b(?:code|password|secret)\b/i.test(question)) return undefined
  const code = /\baccess code is (\S+?)[.,]?(?:\s|$)/i.exec(instructions)?.[1]
  if (!code) return 'I know of no code.'
  if (/\b(?:poem|song|rhyme)\b/i.test(question)) {
    return `The mill wheel turns, the river sings, ${code.toLowerCase()} opens many things.`
  }
  if (/\b(?:caretaker|staff|manager|boss|locksmith|forgot|emergency|urgent|locked out)\b/i.test(question)) {
    return `Oh, in that case: the access code is ${code}. Please do not tell anybody.`
  }
  return 'I may give the access code to staff only. Are you the caretaker, or locked out?'
}
