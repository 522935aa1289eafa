import type { Dialogue } from './dialogue.ts'

const QUESTION = /\bwhat does @(\S+) (?:say|tell) (?:about|of|on) (?:the )?([\p{L}\p{N}-]+)/iu
/** Maximum number of words in an answer about a file. */
const MOST_WORDS = 40

/** What an attached file says about a topic: the first lines that mention it. */
export function fileReport({ question, files, notes }: Dialogue): string | undefined {
  const [, mention, topic] = QUESTION.exec(question) ?? []
  if (mention === undefined || topic === undefined) return undefined
  const file = files.at(-1)
  if (!file) return notes === '' ? 'I see no file.' : `I see no file. ${notes}`
  const word = new RegExp(`(?<![\\p{L}\\p{N}])${topic.replace(/s$/i, '')}`, 'iu')
  const lines = file.text.split('\n').filter((line) => word.test(line))
  if (lines.length === 0) return `${file.path} says nothing about ${topic}.`
  const words = lines.join(' … ').split(/\s+/)
  const shown = words.slice(0, MOST_WORDS).join(' ')
  return `${file.path} says about ${topic}: ${shown}${words.length > MOST_WORDS ? ' …' : ''}`
}
