import type { DataRow } from './data-folder.ts'
import { languageExamples } from './language-examples.ts'
import { longDocuments } from './long-documents.ts'
import type { RowGroup } from './manifest.ts'
import { ownExamples } from './own-examples.ts'
import { passagesOf } from './passages.ts'
import { replanted } from './replanted.ts'
import { isDocument, type Row, withOrders } from './rows.ts'
import { writtenExamples } from './written-examples.ts'

/** The seeds of the generators of examples. */
const SEEDS = { own: 7, replanted: 11, languages: 23, long: 41 }

/** All training examples, in order: generated from the rows of a manifest, which `data` contains, and our own texts. */
export function trainingRows(groups: readonly RowGroup[], data: ReadonlyMap<string, DataRow>): Row[] {
  const read = groups.flatMap(({ use, rows }) =>
    rows.flatMap((hash) => {
      const row = data.get(hash)
      return row === undefined ? [] : [{ use, row }]
    }),
  )
  const documents = read.flatMap(({ use, row }) => (use === 'document' ? passagesOf(row) : []))
  const labelled = read.filter(({ use }) => use !== 'document')
  const ordered = withOrders(labelled.map(({ row }) => row))
  const usedAs = (...uses: string[]): Row[] =>
    ordered.filter((_, index) => uses.includes(labelled[index]?.use ?? ''))
  return [
    ...usedAs('text'),
    ...replanted(usedAs('text', 'order'), SEEDS.replanted),
    ...documents,
    ...ownTrainingRows(),
  ]
}

/** The examples generated from our own texts only. */
export function ownTrainingRows(): Row[] {
  return [
    ...ownExamples(SEEDS.own),
    ...languageExamples(SEEDS.languages),
    ...longDocuments(SEEDS.long),
    ...writtenExamples(),
  ]
}

/** The examples generated from one third-party row. A harmless document is split into passages. */
export function thirdPartyExamples(row: DataRow): Row[] {
  return row.label === 0 && row.source !== undefined && isDocument(row) ? passagesOf(row) : [row]
}
