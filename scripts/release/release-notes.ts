import type { NewChangeset, VersionType } from '@changesets/types'
import { splitSummary } from './headline.ts'

const SECTIONS: readonly { readonly type: VersionType; readonly title: string }[] = [
  { type: 'major', title: 'Breaking changes' },
  { type: 'minor', title: 'New and changed' },
  { type: 'patch', title: 'Fixed' },
]

/**
 * The pending changes of all packages as one text. Each is listed once, under the first package of its changeset, with the
 * names of the others.
 */
export function releaseNotes(changesets: readonly NewChangeset[]): string {
  const sections = SECTIONS.map(({ type, title }) => ({
    title,
    changes: changesets.filter(({ releases }) => largestOf(releases) === type),
  })).filter(({ changes }) => changes.length > 0)
  return sections.map(({ title, changes }) => `## ${title}\n\n${byPackage(changes)}`).join('\n\n')
}

function byPackage(changesets: readonly NewChangeset[]): string {
  const groups = Map.groupBy(changesets, ({ releases }) => releases[0]?.name ?? '')
  return [...groups]
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([name, group]) => `### ${name}\n\n${group.map(lineOf).join('\n')}`)
    .join('\n\n')
}

function lineOf({ summary, releases }: NewChangeset): string {
  const { headline, rest } = splitSummary(summary)
  const others = releases.slice(1).map(({ name }) => name.replace('@millrace/', ''))
  const also = others.length === 0 ? '' : ` (also ${others.join(', ')})`
  const line = `- **${headline}**${also}`
  return rest === '' ? line : `${line}\n\n${rest.replace(/^(?=.)/gm, '  ')}\n`
}

function largestOf(releases: NewChangeset['releases']): VersionType {
  return SECTIONS.find(({ type }) => releases.some((release) => release.type === type))?.type ?? 'none'
}
