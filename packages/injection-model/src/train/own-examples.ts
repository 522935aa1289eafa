import type { Row } from './rows.ts'
import { oneOf, random, spin, spinAll } from './spin.ts'
import { BENIGN_TASKS, SENTENCES } from './texts/benign-tasks.ts'
import { JAILBREAKS, NOISE, NOISE_WORDS } from './texts/jailbreaks.ts'
import { OWN_ATTACKS, SURROUNDINGS } from './texts/own-attacks.ts'
import { EVERYDAY, HARD_BENIGN } from './texts/own-benign.ts'
import { ABOUT_PASSWORDS, PASSWORD_GAMES } from './texts/password-games.ts'
import { PLANTED_ORDERS, STRAY_QUESTIONS } from './texts/planted-orders.ts'
import { PROSE } from './texts/prose.ts'
import { TRIGGER_QUESTIONS } from './texts/trigger-questions.ts'

/** Texts of our own writing, attacks also within other text. */
export function ownExamples(seed: number): Row[] {
  const next = random(seed)
  const chance = (share: number): boolean => next() < share
  const of = (templates: readonly string[]): string => spin(oneOf(templates, next), next)
  const several = (least: number, most: number, make: () => string): string[] =>
    Array.from({ length: least + Math.floor(next() * (most - least + 1)) }, make)
  /** Some sentences of one of the texts. */
  const excerpt = (): string => {
    const sentences = oneOf(PROSE, next).split(/(?<=[.?!]) /)
    const from = Math.floor(next() * sentences.length)
    return sentences.slice(from, from + 1 + Math.floor(next() * 4)).join(' ')
  }
  const passage = (least: number, most: number): string =>
    several(least, most, () => (chance(0.4) ? excerpt() : of(chance(0.8) ? SENTENCES : SURROUNDINGS))).join(
      chance(0.6) ? ' ' : '\n',
    )
  const filled = (text: string): string => text.replaceAll('{doc}', () => passage(1, 4))
  const noise = (): string =>
    chance(0.2)
      ? oneOf(NOISE, next)
      : several(6, 18, () => oneOf(NOISE_WORDS.split('|'), next)).join(chance(0.7) ? ' ' : '')
  const planted = (order: string): string => {
    const lines = several(1, 6, () => passage(1, 4))
    lines.splice(oneOf([0, lines.length, Math.floor(next() * lines.length)], next), 0, order)
    return lines.join(chance(0.7) ? '\n' : ' ')
  }

  const attacks = spinAll(OWN_ATTACKS, 24, seed)
  const games = spinAll(PASSWORD_GAMES, 60, seed + 3)
  const jailbreaks = spinAll(JAILBREAKS, 60, seed + 4)
  const orders = spinAll(PLANTED_ORDERS, 80, seed + 5)
  const noisy = jailbreaks
    .filter((text) => text.length < 160 && chance(0.4))
    .map((text) => `${text} ${noise()}`)
  const hidden = [...attacks, ...games].filter(() => chance(0.25)).map(planted)
  const embedded = orders.flatMap((order) => (chance(0.8) ? [planted(order)] : [order]))

  const questions = spinAll(STRAY_QUESTIONS, 60, seed + 9).map(planted)

  const hard = spinAll(HARD_BENIGN, 30, seed + 1)
  const everyday = spinAll(EVERYDAY, 60, seed + 2)
  const about = [...spinAll(ABOUT_PASSWORDS, 60, seed + 6), ...spinAll(TRIGGER_QUESTIONS, 70, seed + 10)]
  const tasks = spinAll(
    BENIGN_TASKS.map((task) => task.replaceAll('{doc}', '%doc%')),
    90,
    seed + 7,
  )
    .map((task) => task.replaceAll('%doc%', '{doc}'))
    .map(filled)
  const stray = spinAll(STRAY_QUESTIONS, 25, seed + 8)
  const mixed = [...hard, ...about].filter(() => chance(0.3)).map(planted)
  const documents = Array.from({ length: 1_500 }, () => several(1, 7, () => passage(1, 4)).join('\n'))

  const rows = (texts: readonly string[], label: 0 | 1, set: string): Row[] =>
    texts.map((text) => ({ text, label, set, licence: 'Apache-2.0' }))
  return [
    ...rows([...attacks, ...hidden], 1, 'own'),
    ...rows(games, 1, 'own-games'),
    ...rows([...jailbreaks, ...noisy], 1, 'own-jailbreaks'),
    ...rows([...embedded, ...questions], 1, 'own-planted'),
    ...rows([...hard, ...everyday], 0, 'own'),
    ...rows([...about, ...mixed], 0, 'own-about'),
    ...rows(tasks, 0, 'own-tasks'),
    ...rows([...documents, ...stray, ...PROSE], 0, 'own-documents'),
  ]
}
