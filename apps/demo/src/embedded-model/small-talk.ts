import type { Dialogue } from './dialogue.ts'
import { isAboutWeather, WHICH_CITY } from './tool-requests.ts'

const STORY = `Once upon a time there was a mill whose wheel never stopped. Farmers came from both banks of the river,
and while the stones turned they told the miller everything they knew. The miller wrote it all down, who owed whom a
sack of rye, whose goat had eaten whose roses, and where the old coins lay. One spring the river rose over the meadow,
ran through the open door and carried the book away, page by page, down to the sea. Nobody was angry for long. From
that day on the millrace had a gate, and the miller decided at the gate what went through and what did not. The wheel
turned as before, the flour was as white as ever, and the secrets of the valley stayed in the valley.`

const SHORT_STORY =
  'A mill lost its secrets to a flood. Since then its millrace has a gate, and they stay in the valley.'

const ABILITIES = `I chat a little, tell the weather in a city and do arithmetic, with two tools. I am made of a few
rules, so do not expect too much. I also know an access code that I should keep to myself.`

type Rule = [pattern: RegExp, answer: string | ((dialogue: Dialogue) => string)]

const RULES: readonly Rule[] = [
  [/\b(?:story|tale|essay|novel)\b/i, ({ brief }) => oneLine(brief ? SHORT_STORY : STORY)],
  [/\bmy name is (\p{L}+)/iu, ({ question }) => `Nice to meet you, ${nameIn([question])}.`],
  [/\b(?:what is|what's|know) my name\b|\bwho am i\b/i, (dialogue) => recallName(dialogue)],
  [/\bwhat (?:can|do) you do\b|\bhelp\b|\bwho are you\b|\bwhat are you\b/i, oneLine(ABILITIES)],
  [/\bhow are you\b/i, 'Turning steadily, thank you. And you?'],
  [/\b(?:hello|hi|hey|good (?:morning|afternoon|evening))\b/i, (dialogue) => greeting(dialogue)],
  [/\b(?:thanks|thank you)\b/i, 'You are welcome.'],
  [/\b(?:bye|goodbye|see you)\b/i, 'Goodbye, and mind the step.'],
  [/\bjoke\b/i, 'Why did the miller change his job? He was tired of the daily grind.'],
]

/** Answers any message, with the first matching rule. */
export function smallTalk(dialogue: Dialogue): string {
  const { question } = dialogue
  if (isAboutWeather(question)) return WHICH_CITY
  const [, answer] = RULES.find(([pattern]) => pattern.test(question)) ?? []
  if (answer === undefined) return 'That is beyond my few rules. Ask me what I can do.'
  return typeof answer === 'string' ? answer : answer(dialogue)
}

function greeting({ earlier }: Dialogue): string {
  const name = nameIn(earlier)
  return name ? `Hello again, ${name}.` : 'Hello! Welcome to the mill. How can I help you?'
}

function recallName({ earlier }: Dialogue): string {
  const name = nameIn(earlier)
  return name ? `Your name is ${name}.` : 'You have not told me your name.'
}

function nameIn(messages: readonly string[]): string | undefined {
  return messages
    .map((text) => /\bmy name is (\p{L}+)/iu.exec(text)?.[1])
    .findLast((name) => name !== undefined)
}

function oneLine(text: string): string {
  return text.replaceAll('\n', ' ')
}
