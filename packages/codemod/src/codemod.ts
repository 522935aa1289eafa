import { IndentationText, Project, ts } from 'ts-morph'
import { mastra } from './mastra.ts'
import { names } from './names.ts'
import type { Note, Transform } from './transform.ts'

/** What the command can do. */
export const TRANSFORMS: readonly Transform[] = [names, mastra]

export interface CodemodResult {
  /** As it was given, if nothing had to change. */
  readonly code: string
  readonly notes: readonly Note[]
}

/**
 * Changes the text of one module. Nothing is read but this text.
 *
 * @param file The name of the module: its end says whether it is TypeScript and whether it has JSX
 * @throws Error that names the transforms if there is none of this name
 */
export function applyCodemod(
  transform: string,
  { file, code }: { file: string; code: string },
): CodemodResult {
  const found = TRANSFORMS.find(({ name }) => name === transform)
  if (!found) {
    const known = TRANSFORMS.map(({ name }) => name).join(', ')
    throw new Error(`There is no codemod '${transform}'. Use one of: ${known}.`)
  }
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    compilerOptions: { allowJs: true, noResolve: true, jsx: ts.JsxEmit.Preserve },
    manipulationSettings: {
      indentationText:
        /^ {4}\S/m.test(code) && !/^ {2}\S/m.test(code)
          ? IndentationText.FourSpaces
          : IndentationText.TwoSpaces,
      useTrailingCommas: true,
    },
  })
  const source = project.createSourceFile(`/${file.replace(/^.*[\\/]/, '')}`, code)
  const notes = found.apply(source)
  return { code: source.getFullText(), notes }
}
