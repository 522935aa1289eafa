import { loadPrototypes } from '@millrace/guards/internals'
import type { DataRow } from './data-folder.ts'
import type { RowGroup, Use } from './manifest.ts'
import { hashOf } from './row-hash.ts'
import { foldOf, hasShippableOrder, isPlanted, isShippable, type Row, withOrders } from './rows.ts'
import { type Source, sourceOf } from './sources.ts'

/**
 * Chooses what to train on of the rows of a data folder: those of known sources, under licences that allow it. A part of the
 * labelled ones is left for evaluation.
 */
export async function selectRows(data: Iterable<DataRow>): Promise<RowGroup[]> {
  const prototypeOf = await loadPrototypes()
  const groups = new Map<string, RowGroup & { readonly rows: string[] }>()
  for (const row of withOrders([...data])) {
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

function useOf(row: Row, { isDocuments, licence }: Source, isHeldOut: () => boolean): Use | undefined {
  if (isDocuments) return row.label === 0 && row.licence === licence ? 'document' : undefined
  if (isShippable(row) && !isHeldOut()) return 'text'
  if (hasShippableOrder(row) && !isHeldOut()) return 'order'
  return isPlanted(row) && row.label === 0 ? 'comparison' : undefined
}
