import { textRows } from '../texts/text-rows.ts'
import { VOCABULARY } from '../texts/vocabulary.ts'
import type { Row } from './rows.ts'
import { oneOf, random, spin, spinAll } from './spin.ts'

/** The number of texts that are generated for each out-of-place question in a document. */
const STRAY_IN_DOCUMENTS = 60

/** A text, and the order that was inserted into it. */
interface Made {
  readonly text: string
  readonly order?: string
}

/** Texts of our own, with attacks alone and within other text. */
export function ownExamples(seed: number): Row[] {
  const next = random(seed)
  const templates = (name: string) => textRows(`templates/${name}`)
  const texts = (name: string) => templates(name).map(({ text }) => text)
  const [prose, noises] = [texts('prose'), texts('noise')]
  const [sentences, surroundings] = [texts('sentences'), texts('surroundings')]
  const strayQuestions = templates('stray-questions')
  const noiseWords = VOCABULARY.noise ?? []
  const chance = (share: number): boolean => next() < share
  const of = (templates: readonly string[]): string => spin(oneOf(templates, next), next)
  const several = (least: number, most: number, make: () => string): string[] =>
    Array.from({ length: least + Math.floor(next() * (most - least + 1)) }, make)
  /** Consecutive sentences of one of the texts. */
  const excerpt = (): string => {
    const parts = oneOf(prose, next).split(/(?<=[.?!]) /)
    const from = Math.floor(next() * parts.length)
    return parts.slice(from, from + 1 + Math.floor(next() * 4)).join(' ')
  }
  const passage = (least: number, most: number): string =>
    several(least, most, () => (chance(0.4) ? excerpt() : of(chance(0.8) ? sentences : surroundings))).join(
      chance(0.6) ? ' ' : '\n',
    )
  const filled = (text: string): string => text.replaceAll('{doc}', () => passage(1, 4))
  const noise = (): string =>
    chance(0.2)
      ? oneOf(noises, next)
      : several(6, 18, () => oneOf(noiseWords, next)).join(chance(0.7) ? ' ' : '')
  const planted = (order: string): Made => {
    const lines = several(1, 6, () => passage(1, 4))
    lines.splice(oneOf([0, lines.length, Math.floor(next() * lines.length)], next), 0, order)
    return { text: lines.join(chance(0.7) ? '\n' : ' '), order }
  }

  const attacks = spinAll(templates('attacks'), seed)
  const games = spinAll(templates('password-games'), seed + 3)
  const jailbreaks = spinAll(templates('jailbreaks'), seed + 4)
  const orders = spinAll(templates('planted-orders'), seed + 5)
  const noisy = jailbreaks
    .filter((text) => text.length < 160 && chance(0.4))
    .map((text) => `${text} ${noise()}`)
  const hidden = attacks.filter(() => chance(0.5)).map(planted)
  const hiddenGames = games.filter(() => chance(0.25)).map(planted)
  const embedded = orders.map((order) => (chance(0.8) ? planted(order) : { text: order }))

  const questions = spinAll(strayQuestions, seed + 9, STRAY_IN_DOCUMENTS).map(planted)

  const hard = spinAll(templates('trigger-words'), seed + 1)
  const everyday = spinAll(templates('everyday-requests'), seed + 2)
  const about = [
    ...spinAll(templates('password-questions'), seed + 6),
    ...spinAll(templates('trigger-questions'), seed + 10),
  ]
  const tasks = spinAll(
    templates('tasks').map((task) => ({ ...task, text: task.text.replaceAll('{doc}', '%doc%') })),
    seed + 7,
  )
    .map((task) => task.replaceAll('%doc%', '{doc}'))
    .map(filled)
  const stray = spinAll(strayQuestions, seed + 8)
  const mixed = [...hard, ...about].filter(() => chance(0.3)).map((text) => planted(text).text)
  const documents = Array.from({ length: 1_500 }, () => several(1, 7, () => passage(1, 4)).join('\n'))

  const rows = (made: readonly (string | Made)[], label: 0 | 1, set: string): Row[] =>
    made.map((each) => ({
      ...(typeof each === 'string' ? { text: each } : each),
      label,
      set,
      licence: 'Apache-2.0',
    }))
  return [
    ...rows([...attacks, ...hiddenGames], 1, 'own'),
    ...rows(hidden, 1, 'own-hidden'),
    ...rows(games, 1, 'own-games'),
    ...rows([...jailbreaks, ...noisy], 1, 'own-jailbreaks'),
    ...rows([...embedded, ...questions], 1, 'own-planted'),
    ...rows([...hard, ...everyday], 0, 'own'),
    ...rows([...about, ...mixed], 0, 'own-about'),
    ...rows(tasks, 0, 'own-tasks'),
    ...rows([...documents, ...stray, ...prose], 0, 'own-documents'),
  ]
}
