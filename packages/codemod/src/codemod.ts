import { IndentationText, Project, ts } from 'ts-morph'
import { mastra } from './mastra.ts'
import { names } from './names.ts'
import type { Note, Transform } from './transform.ts'

/** The available codemods. */
export const TRANSFORMS: readonly Transform[] = [names, mastra]

export interface CodemodResult {
  /** The new code. The given text if nothing changed. */
  readonly code: string
  readonly notes: readonly Note[]
}

/**
 * Transforms the text of one module. Reads no other files.
 *
 * @param file The file name. Its extension says whether the module is TypeScript and whether it has JSX
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
