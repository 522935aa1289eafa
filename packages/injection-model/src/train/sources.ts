import { readFileSync } from 'node:fs'
import type { DataRow } from './data-folder.ts'

/** A work whose texts may be used for training. */
export interface Source {
  readonly name: string
  readonly url: string
  /** SPDX identifier. */
  readonly licence: string
  /** The sets of rows from this work. */
  readonly sets: readonly string[]
  /** `owner/repository`, if a set contains several works. */
  readonly repository?: string
}

/** All sources of texts that are not our own. The NOTICE of `@millrace/guards` lists the same ones. */
export const SOURCES: readonly Source[] = JSON.parse(
  readFileSync(new URL('../../sources.json', import.meta.url), 'utf8'),
)

export function sourceOf({ set, source = '' }: DataRow): Source | undefined {
  return SOURCES.find(
    ({ sets, repository }) =>
      sets.includes(set) && (repository === undefined || source.startsWith(`${repository}:`)),
  )
}
