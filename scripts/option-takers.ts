// Finds the public constructors, functions and methods that take options, by the types of their parameters.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Class, type Function as FunctionNode, type ParamPattern, parseSync } from 'oxc-parser'
import { publicNames } from './public-names.ts'
import { publishedPackages, root } from './published-packages.ts'

/** A parameter with options. */
export interface OptionTaker {
  /** `@millrace/core: Agent`, `@millrace/core: Agent.generate` */
  readonly name: string
  readonly exported: string
  /** The method, if it is one of a class. */
  readonly method: string | undefined
  /** The place of the parameter. */
  readonly index: number
  /** The exports of the module. */
  load(): Promise<Record<string, unknown>>
}

/** Types that hold options: by their names, or written out. */
const OPTIONS =
  /^\{[^}(]*\?:|\b\w*(?:Options|Limits|Config|Ids|Owner|Fields|Counts|Selection|Place|ToolDefinition)\b/
/** What hooks and stores receive is checked by others, and what a class is made of by its own package. */
const OTHERS = /^(?:process[A-Z]|wrapModelCall|warmUp)/

interface PublicModule {
  readonly folder: string
  readonly packageName: string
  readonly file: string
  /** Its exports. */
  load(): Promise<Record<string, unknown>>
}

/** The modules that users import, but those that only pass on what others export. */
export function publicModules(): PublicModule[] {
  return publishedPackages
    .filter(({ folder }) => folder.startsWith('packages/') && !PASSING.test(folder))
    .flatMap(({ folder, manifest: { name, exports = {} } }) =>
      Object.entries(exports).flatMap(([path, entry]) => {
        const source = (entry as { '@millrace/source'?: string })['@millrace/source']
        if (source === undefined || path === './internals' || path === './store-process') return []
        const file = join(root, folder, source)
        return [{ folder, packageName: name, file, load: () => import(file) }]
      }),
    )
}

const PASSING = /(?:processors|codemod|create-millrace)$/

export function optionTakers(): OptionTaker[] {
  return [...Map.groupBy(publicModules(), ({ folder }) => folder)].flatMap(([folder, modules]) =>
    takersOf(folder, modules),
  )
}

function takersOf(folder: string, modules: readonly PublicModule[]): OptionTaker[] {
  const entries = modules.map((module) => ({ ...module, names: new Set(publicNames(module.file)) }))
  const takers: OptionTaker[] = []
  for (const file of globSync(`${folder}/src/**/*.ts`, { cwd: root }).sort()) {
    if (/\.test(-d)?\.ts$/.test(file)) continue
    const source = readFileSync(join(root, file), 'utf8')
    for (const statement of parseSync(file, source).program.body) {
      if (statement.type !== 'ExportNamedDeclaration') continue
      const { declaration } = statement
      if (declaration?.type !== 'FunctionDeclaration' && declaration?.type !== 'ClassDeclaration') continue
      const exported = declaration.id?.name ?? ''
      const entry = entries.find(({ names }) => names.has(exported) || names.has(`type ${exported}`))
      if (!entry) continue
      // The methods of a store read their options by core's functions for authors of stores.
      const isStore = /Store$/.test(exported)
      const isType = !entry.names.has(exported)
      const add = (given: FunctionNode, method?: string): void => {
        const index = given.params.findIndex((parameter) => OPTIONS.test(typeOf(parameter, source)))
        if (index === -1) return
        const name = `${entry.packageName}: ${exported}${method ? `.${method}` : ''}`
        takers.push({ name, exported, method, index, load: entry.load })
      }
      if (declaration.type === 'FunctionDeclaration') add(declaration as FunctionNode)
      else {
        for (const member of (declaration as Class).body.body) {
          if (member.type !== 'MethodDefinition' || member.key.type !== 'Identifier') continue
          if (member.accessibility === 'private' || member.static || OTHERS.test(member.key.name)) continue
          if (member.kind === 'constructor') {
            // A class of which only the type is public is made by its package.
            if (!isType) add(member.value)
          } else if (member.kind === 'method' && !isStore) add(member.value, member.key.name)
        }
      }
    }
  }
  return takers
}

function typeOf(parameter: ParamPattern, source: string): string {
  const target = parameter.type === 'AssignmentPattern' ? parameter.left : parameter
  const annotation = 'typeAnnotation' in target ? target.typeAnnotation : undefined
  return annotation ? source.slice(annotation.typeAnnotation.start, annotation.typeAnnotation.end) : ''
}
