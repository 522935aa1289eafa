import type { FolderEntry, FolderListing } from '../workspace/folder-listing.ts'
import { visibleName } from './visible-name.ts'

/** Formats a listing as lines, indented by depth. Folders end with `/`, symbolic links with `@`. */
export function folderTree(
  { entries, omitted }: Pick<FolderListing, 'entries' | 'omitted'>,
  indent = '',
): string {
  const lines = entries.flatMap(({ name, kind, folder }) => [
    `${indent}${visibleName(name)}${MARKS[kind]}`,
    ...(folder && (folder.entries.length > 0 || folder.omitted > 0)
      ? [folderTree(folder, `${indent}  `)]
      : []),
  ])
  if (omitted > 0) lines.push(`${indent}… ${omitted} more`)
  return lines.join('\n')
}

const MARKS: Readonly<Record<FolderEntry['kind'], string>> = {
  file: '',
  folder: '/',
  link: '@',
  special: '|',
}
