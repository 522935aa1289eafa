import type { Manifest } from './manifest.ts'

/** Messages about third-party rows of the manifest that the data folder lacks; empty if there are none. */
export function missingRows(
  { thirdParty }: Manifest,
  data: { has(hash: string): boolean },
  folder: string,
): string[] {
  return thirdParty.flatMap(({ source, set, rows }) => {
    const missing = rows.filter((hash) => !data.has(hash))
    if (missing.length === 0) return []
    const count = `${missing.length} of ${rows.length} rows`
    return [`${count} of the set ${set} (${source}) are not in ${folder}:`, ...missing.map(indented)]
  })
}

/** Messages about differences between our own texts and the manifest; empty if there are none. */
export function missingOwnRows({ own }: Manifest, found: Manifest['own']): string[] {
  return [...new Set([...Object.keys(own), ...Object.keys(found)])].flatMap((file) => {
    const [before, now] = [own[file] ?? [], found[file] ?? []]
    const missing = before.filter((hash) => !now.includes(hash))
    const added = now.filter((hash) => !before.includes(hash))
    const isReordered = before.join() !== now.join() && missing.length + added.length === 0
    return [
      ...(missing.length > 0
        ? [`${missing.length} of ${before.length} rows of texts/${file}.jsonl are missing or have changed:`]
        : []),
      ...missing.map(indented),
      ...(added.length > 0 ? [`${added.length} rows of texts/${file}.jsonl are not in the manifest:`] : []),
      ...added.map(indented),
      ...(isReordered ? [`texts/${file}.jsonl has its rows in another order than the manifest.`] : []),
    ]
  })
}

function indented(hash: string): string {
  return `  ${hash}`
}
