import { textFiles, textRows } from '../texts/text-rows.ts'
import type { DataRow } from '../train/data-folder.ts'
import { readManifest } from '../train/manifest.ts'
import { hashOf } from '../train/row-hash.ts'
import { ownTrainingRows } from '../train/training-rows.ts'

/** The number of rows of a kind in the training data. */
export interface Learned {
  readonly data: string
  readonly attacks: number
  readonly harmless: number
  readonly licences: readonly string[]
}

/** The training data of the weights: each set with attacks, all harmless texts together, and our own texts. */
export function learned(data: readonly DataRow[]): Learned[] {
  const rows = new Map(data.map((row) => [hashOf(row), row]))
  const groups = readManifest().thirdParty.filter(({ use }) => use !== 'comparison')
  const withAttacks = new Set(
    groups.flatMap(({ set, rows: hashes }) =>
      hashes.some((hash) => rows.get(hash)?.label === 1) ? [set] : [],
    ),
  )
  const nameOf = ({ set, use }: (typeof groups)[number]): string => {
    if (use === 'order') return `${set}, the orders alone`
    if (withAttacks.has(set)) return set
    return use === 'document' ? 'documents of other works' : 'prompts of other works'
  }
  const thirdParty = [...Map.groupBy(groups, nameOf)].map(([name, of]): Learned => {
    const labels = of.flatMap(({ rows: hashes }) => hashes.flatMap((hash) => rows.get(hash)?.label ?? []))
    return {
      data: name,
      attacks: labels.filter((label) => label === 1).length,
      harmless: labels.filter((label) => label === 0).length,
      licences: [...new Set(of.map(({ licence }) => shortened(licence)))].sort(),
    }
  })
  const written = textFiles('written').flatMap(textRows)
  const made = ownTrainingRows().length - written.length
  const madeAttacks = ownTrainingRows().filter(({ label }) => label === 1).length
  const writtenAttacks = written.filter(({ label }) => label === 1).length
  return [
    ...thirdParty.sort((a, b) => b.attacks - a.attacks),
    {
      data: 'texts of our own, each written by itself',
      attacks: writtenAttacks,
      harmless: written.length - writtenAttacks,
      licences: ['Apache-2.0'],
    },
    {
      data: 'texts of our own from templates, by themselves and in documents of our own',
      attacks: madeAttacks - writtenAttacks,
      harmless: made - (madeAttacks - writtenAttacks),
      licences: ['Apache-2.0'],
    },
  ]
}

/** A license text begins with the name of the license. */
function shortened(licence: string): string {
  return licence.split(/[ ;]/, 1)[0] as string
}
