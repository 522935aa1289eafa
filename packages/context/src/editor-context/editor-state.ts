import { visibleName } from '../content/visible-name.ts'

/** The state of an editor. Lines and columns start at 1. */
export interface EditorState {
  /** The path of the active file. */
  readonly activeFile?: string | undefined
  /** The paths of all files that are open. */
  readonly openFiles?: readonly string[] | undefined
  readonly cursor?: { readonly line: number; readonly column?: number } | undefined
  readonly selection?:
    | { readonly text: string; readonly startLine?: number; readonly endLine?: number }
    | undefined
}

/** The lines of the prompt for an editor state, by name. */
export function editorLines(
  { activeFile, openFiles = [], cursor, selection }: EditorState,
  maxSelection: number,
): Record<string, string> {
  const lines: Record<string, string> = {}
  if (activeFile !== undefined) lines['active file'] = `active file: ${visibleName(activeFile)}`
  if (openFiles.length > 0) lines['open files'] = `open files: ${openFiles.map(visibleName).join(', ')}`
  if (cursor) {
    const column = cursor.column === undefined ? '' : `, column ${cursor.column}`
    lines.cursor = `cursor: line ${cursor.line}${column}`
  }
  if (selection && selection.text !== '') {
    const { text, startLine, endLine } = selection
    const place = startLine === undefined ? '' : ` (lines ${startLine} to ${endLine ?? startLine})`
    const left = text.length <= maxSelection ? text : text.slice(0, maxSelection).toWellFormed()
    const rest = left.length === text.length ? '' : `\n[${text.length - left.length} more characters]`
    lines.selection = `selection${place}:\n${left}${rest}`
  }
  return lines
}
