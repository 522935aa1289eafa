import { type TextRow, textRows } from '../texts/text-rows.ts'
import type { Row } from './rows.ts'
import { oneOf, random, spinAll } from './spin.ts'

/** The number of documents without an order for each with one. */
const CLEAN = 1.5

/**
 * How a document of each format contains a text: as a paragraph, an item, a cell, a string, a comment, a line of a
 * diff.
 */
export const UNITS: readonly ((text: string, next: () => number) => string)[] = [
  (text) => text,
  (text) => text,
  (text) => `- ${text}`,
  (text, next) => `${1 + Math.floor(next() * 9)}. ${text}`,
  (text) => `## ${text}`,
  (text, next) => `${100 + Math.floor(next() * 900)},open,"${text.replaceAll('"', '""')}",low`,
  (text, next) => `| ${100 + Math.floor(next() * 900)} | ${text} | ok |`,
  (text, next) => JSON.stringify({ id: Math.floor(next() * 9_000), note: text, open: next() < 0.5 }),
  (text) => `  // ${text}`,
  (text) => `# ${text}`,
  (text) => `+ ${text}`,
  (text) => `<!-- ${text} -->`,
  (text) => `> ${text}`,
  (text) => `        - "${text}"`,
  (text, next) => `    ${oneOf(['content', 'description', 'title', 'subject'], next)}: "${text}"`,
  (text, next) =>
    JSON.stringify({ name: oneOf(['get_weather', 'search', 'list_files'], next), description: text }),
  (text, next) => `${oneOf(['Larkspur Hotel', 'Docs', 'Forum'], next)} · www.example.com › ${text}`,
  (text, next) => `Subject: ${oneOf(['Re: Friday', 'Question', 'Invoice'], next)}\n\n${text}`,
  (text, next) =>
    `[12:0${Math.floor(next() * 9)}] ${oneOf(['Ana', 'Marek', 'Li', 'support'], next)}: ${text}`,
]

/** Ways to join the sentences of a document that is part of a task, and to wrap one of them. */
const INLINE: readonly ((texts: readonly string[], place: number) => string)[] = [
  (texts) => texts.join(' '),
  (texts) => texts.join(' '),
  (texts) => texts.join('\n'),
  (texts) => texts.join('; '),
  (texts) => `<html><body>${texts.map((text) => `<p>${text}</p>`).join('')}</body></html>`,
  (texts, place) => texts.map((text, index) => (index === place ? `<!-- ${text} -->` : text)).join(' '),
  (texts) =>
    `<table>${texts.map((text, index) => `<tr><td>${index + 1}</td><td>${text}</td></tr>`).join('')}</table>`,
  (texts) =>
    `{${texts.map((text, index) => `${['sender', 'note', 'status', 'body'][index % 4]}: ${text}`).join(', ')}}`,
  (texts) => texts.map((text, index) => `| ${index + 1} | ${text} |`).join('\n'),
  (texts, place) => texts.map((text, index) => (index === place ? `(${text})` : text)).join(' '),
]

/** The share of the orders that are placed in a document that is part of a task. */
const ASKED = 0.3

/** Orders and their look-alikes in many languages, alone and as units of documents. */
export function languageExamples(seed: number): Row[] {
  const next = random(seed)
  const orders = byLanguage('templates/orders', seed + 1, 'document')
  const commands = byLanguage('templates/orders', seed + 4, 'user')
  const lookAlikes = byLanguage('templates/look-alikes', seed + 2, 'document')
  const prompts = byLanguage('templates/look-alikes', seed + 3, 'user')
  const english = textRows('written/everyday-documents')
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => line.length > 20 && line.length < 300)
  const tasks = Map.groupBy(textRows('templates/document-tasks'), ({ lang }) => lang)
  const taskOf = (lang: string, around: readonly string[], order?: string): string => {
    const texts = Array.from({ length: 1 + Math.floor(next() * 5) }, () => oneOf(around, next))
    const place = Math.floor(next() * (texts.length + 1))
    if (order !== undefined) texts.splice(place, 0, order)
    const { text } = oneOf(tasks.get(lang) as TextRow[], next)
    return text.replace('{doc}', () => oneOf(INLINE, next)(texts, place))
  }
  const documentOf = (around: readonly string[], order?: string): string => {
    const unit = oneOf(UNITS, next)
    const texts = Array.from({ length: 2 + Math.floor(next() * 7) }, () => oneOf(around, next))
    if (order !== undefined) texts.splice(Math.floor(next() * (texts.length + 1)), 0, order)
    return texts.map((text) => unit(text, next)).join(next() < 0.3 ? '\n\n' : '\n')
  }
  const languages = new Set([...orders.keys(), ...commands.keys(), ...lookAlikes.keys(), ...prompts.keys()])
  return [...languages].flatMap((lang) => {
    const own = orders.get(lang) ?? []
    const alike = lookAlikes.get(lang) ?? []
    const around = alike.length > 0 ? alike : english
    const rowOf =
      (label: 0 | 1, set: string, surface = 'document') =>
      (text: string): Row => ({ text, label, set, licence: 'Apache-2.0', lang, surface })
    const plantedRow = (text: string, order: string): Row => ({
      ...rowOf(1, 'own-orders-planted')(text),
      order,
    })
    const planted = own
      .filter(() => next() < 0.5)
      .map((order) => plantedRow(documentOf(around, order), order))
    const clean = Array.from({ length: Math.round(CLEAN * planted.length) }, () => documentOf(around))
    const inTasks = tasks.has(lang) ? own.filter(() => next() < ASKED) : []
    const asked = inTasks.map((order) => plantedRow(taskOf(lang, around, order), order))
    const cleanTasks = Array.from({ length: Math.round(CLEAN * asked.length) }, () => taskOf(lang, around))
    return [
      ...own.map(rowOf(1, 'own-orders')),
      ...planted,
      ...asked,
      ...(commands.get(lang) ?? []).map(rowOf(1, 'own-orders', 'user')),
      ...alike.map(rowOf(0, 'own-look-alikes')),
      ...(prompts.get(lang) ?? []).map(rowOf(0, 'own-look-alikes-asked', 'user')),
      ...clean.map(rowOf(0, 'own-look-alikes')),
      ...cleanTasks.map(rowOf(0, 'own-look-alikes')),
    ]
  })
}

function byLanguage(name: string, seed: number, surface?: TextRow['surface']): Map<string, string[]> {
  const rows = textRows(name).filter((row) => surface === undefined || row.surface === surface)
  const templates = Map.groupBy(rows, ({ lang }) => lang)
  return new Map([...templates].map(([lang, of]) => [lang, spinAll(of, seed)]))
}
