import { readFileSync } from 'node:fs'
import type { DataRow } from './data-folder.ts'

/** A work whose texts may be trained on. */
export interface Source {
  readonly name: string
  readonly url: string
  /** SPDX identifier. */
  readonly licence: string
  /** The sets of rows that are from it. */
  readonly sets: readonly string[]
  /** Where a set is from several works: `owner/repository`. */
  readonly repository?: string
}

/** Every source of texts that are not our own. The NOTICE of `@millrace/guards` names the same ones. */
export const SOURCES: readonly Source[] = JSON.parse(
  readFileSync(new URL('../../sources.json', import.meta.url), 'utf8'),
)

export function sourceOf({ set, source = '' }: DataRow): Source | undefined {
  return SOURCES.find(
    ({ sets, repository }) =>
      sets.includes(set) && (repository === undefined || source.startsWith(`${repository}:`)),
  )
}
