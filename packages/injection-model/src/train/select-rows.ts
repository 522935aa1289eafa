import { loadPrototypes } from '@millrace/guards/internals'
import type { DataRow } from './data-folder.ts'
import type { RowGroup, Use } from './manifest.ts'
import { hashOf } from './row-hash.ts'
import { foldOf, hasShippableOrder, isDocument, isPlanted, isShippable, withOrders } from './rows.ts'
import { sampled } from './sampled-rows.ts'
import { type Source, sourceOf } from './sources.ts'

/**
 * Selects the training rows of a data folder: rows of known sources, under licenses that allow it. Collections of
 * several works are sampled. A part of all rows except documents is left for evaluation.
 */
export async function selectRows(data: Iterable<DataRow>): Promise<RowGroup[]> {
  const prototypeOf = await loadPrototypes()
  const groups = new Map<string, RowGroup & { readonly rows: string[] }>()
  const rows = [...data]
  const collected = sampled(rows.filter(({ source }) => source !== undefined))
  for (const row of withOrders([...rows.filter(({ source }) => source === undefined), ...collected])) {
    const source = sourceOf(row)
    const use = source && useOf(row, source, () => foldOf(row, prototypeOf) === 0)
    if (!source || !use) continue
    const { set, licence } = row
    const key = [source.name, set, licence, use].join('\n')
    const group = groups.get(key) ?? { source: source.name, set, licence, use, rows: [] }
    groups.set(key, group)
    group.rows.push(hashOf(row))
  }
  return [...groups.values()]
}

function useOf(row: DataRow, { licence }: Source, isHeldOut: () => boolean): Use | undefined {
  if (row.source !== undefined && row.licence !== licence) return undefined
  if (row.source !== undefined && row.label === 0 && isDocument(row)) return 'document'
  if (isShippable(row) && !isHeldOut()) return 'text'
  if (hasShippableOrder(row) && !isHeldOut()) return 'order'
  return isPlanted(row) && row.label === 0 ? 'comparison' : undefined
}
