import {
  type ClassDeclaration,
  type NewExpression,
  type ObjectLiteralExpression,
  type SourceFile,
  SyntaxKind,
} from 'ts-morph'
import { type Export, importsFrom, replaceImports } from './imports.ts'
import type { Note, Transform } from './transform.ts'

const CORE = '@millrace/core'
const MEMORY = '@millrace/memory'

/** The replacements of Mastra's exports, by name: the names are the same in all of its modules. */
const REPLACEMENTS: ReadonlyMap<string, Export> = new Map([
  ['Agent', { module: CORE, name: 'Agent' }],
  ['Memory', { module: MEMORY, name: 'Memory' }],
  ['MemoryProcessor', { module: MEMORY, name: 'MemoryProcessor', isType: true }],
  ['MemoryProcessorOpts', { module: MEMORY, name: 'MemoryProcessorOptions', isType: true }],
  ['CoreMessage', { module: MEMORY, name: 'LegacyMessage', isType: true }],
  ['TokenLimiter', { module: '@millrace/tokens', name: 'TokenLimiterProcessor' }],
  ['ToolCallFilter', { module: '@millrace/steering/tool-call-filter', name: 'ToolCallFilterProcessor' }],
  ['LibSQLStore', { module: '@millrace/store-libsql', name: 'LibSQLStore' }],
  ['PostgresStore', { module: '@millrace/store-postgres', name: 'PostgresStore' }],
])

/** Memory processors of Mastra that are processors of the agent in Millrace. */
const AGENT_PROCESSORS: ReadonlySet<string> = new Set(['TokenLimiterProcessor', 'ToolCallFilterProcessor'])

export const mastra: Transform = {
  name: 'mastra',
  about: "Mastra's memory and MemoryProcessor become those of @millrace/memory",
  apply(file) {
    if (!importsFrom(file, '@mastra/')) return []
    const usesLegacyTypes = importedNames(file).has('MemoryProcessor')
    replaceImports(file, ({ module, name }) => {
      // The AI SDK has message types with the same names. Only those of a memory processor are replaced.
      if (name === 'CoreMessage' && !usesLegacyTypes) return undefined
      return module.startsWith('@mastra/') || (module === 'ai' && name === 'CoreMessage')
        ? REPLACEMENTS.get(name)
        : undefined
    })
    for (const declaration of file.getClasses()) implementInterface(declaration)
    const notes = file
      .getDescendantsOfKind(SyntaxKind.NewExpression)
      .filter((creation) => creation.getExpression().getText() === 'Memory')
      .flatMap((creation) => changeMemory(file, creation))
    return [...notes, ...unsupportedImports(file)]
  },
}

/** Mastra's `MemoryProcessor` is a class whose constructor takes a name. Here it is an interface. */
function implementInterface(declaration: ClassDeclaration): void {
  if (declaration.getExtends()?.getText() !== 'MemoryProcessor') return
  declaration.removeExtends()
  declaration.insertImplements(0, 'MemoryProcessor')
  for (const made of declaration.getConstructors()) {
    const call = made.getStatements().find((statement) => /^super\(/.test(statement.getText()))
    call?.remove()
    if (made.getStatements().length === 0 && made.getParameters().length === 0) made.remove()
  }
}

function changeMemory(file: SourceFile, creation: NewExpression): Note[] {
  const options = creation.getArguments()[0]?.asKind(SyntaxKind.ObjectLiteralExpression)
  if (!options) return []
  const line = creation.getStartLineNumber()
  const notes: Note[] = []
  unwrapOptions(options)
  if (options.getProperty('vector')) {
    options.getProperty('vector')?.remove()
    notes.push({
      line,
      text: 'Vectors are kept in the storage of the memory: `vector` is removed. `embedder` is enough.',
    })
  }
  if (options.getText().includes('template')) {
    notes.push({
      line,
      text: 'Templates of the working memory have slots: `- **Name**: {{name}}` in place of `- **Name**:`.',
    })
  }
  return [...notes, ...moveProcessors(file, creation, options)]
}

/** The options move up: they are not nested under `options`. */
function unwrapOptions(options: ObjectLiteralExpression): void {
  const wrapped = options
    .getProperty('options')
    ?.asKind(SyntaxKind.PropertyAssignment)
    ?.getInitializerIfKind(SyntaxKind.ObjectLiteralExpression)
  if (!wrapped) return
  const properties = wrapped.getProperties().map((property) => property.getText())
  options.getProperty('options')?.remove()
  options.addProperties(properties)
}

/** Moves the token limiter and the tool call filter to the processors of the agent. */
function moveProcessors(file: SourceFile, creation: NewExpression, options: ObjectLiteralExpression): Note[] {
  const property = options.getProperty('processors')?.asKind(SyntaxKind.PropertyAssignment)
  const list = property?.getInitializerIfKind(SyntaxKind.ArrayLiteralExpression)
  if (!property || !list) return []
  const moved = list.getElements().filter((element) => AGENT_PROCESSORS.has(createdClass(element.getText())))
  if (moved.length === 0) return []
  const texts = moved.map((element) => element.getText())
  const agent = agentOf(file, creation)
  if (!agent) {
    const text = `${texts.map(createdClass).join(' and ')} belong in \`inputProcessors\` of the agent, which is not in this file.`
    return [{ line: property.getStartLineNumber(), text }]
  }
  for (const element of moved) list.removeElement(element)
  if (list.getElements().length === 0) property.remove()
  const existing = agent
    .getProperty('inputProcessors')
    ?.asKind(SyntaxKind.PropertyAssignment)
    ?.getInitializerIfKind(SyntaxKind.ArrayLiteralExpression)
  if (existing) existing.addElements(texts)
  else agent.addPropertyAssignment({ name: 'inputProcessors', initializer: `[${texts.join(', ')}]` })
  return []
}

/** The options of the agent that uses this memory, directly or through a variable. */
function agentOf(file: SourceFile, memory: NewExpression): ObjectLiteralExpression | undefined {
  const name = memory.getParentIfKind(SyntaxKind.VariableDeclaration)?.getName()
  return file
    .getDescendantsOfKind(SyntaxKind.NewExpression)
    .filter((creation) => creation.getExpression().getText() === 'Agent')
    .map((creation) => creation.getArguments()[0]?.asKind(SyntaxKind.ObjectLiteralExpression))
    .find((options) => {
      const property = options?.getProperty('memory')
      const value = property?.asKind(SyntaxKind.PropertyAssignment)?.getInitializer()
      const used = property?.asKind(SyntaxKind.ShorthandPropertyAssignment)?.getName() ?? value?.getText()
      return value === memory || (name !== undefined && used === name)
    })
}

function createdClass(text: string): string {
  return /^new (\w+)/.exec(text)?.[1] ?? ''
}

function importedNames(file: SourceFile): Set<string> {
  return new Set(
    file
      .getImportDeclarations()
      .flatMap((declaration) => declaration.getNamedImports().map((named) => named.getName())),
  )
}

/** Reports imports without a counterpart. They are not changed. */
function unsupportedImports(file: SourceFile): Note[] {
  return file
    .getImportDeclarations()
    .filter((declaration) => declaration.getModuleSpecifierValue().startsWith('@mastra/'))
    .map((declaration) => ({
      line: declaration.getStartLineNumber(),
      text: `${declaration
        .getNamedImports()
        .map((named) => named.getName())
        .join(', ')} of ${declaration.getModuleSpecifierValue()} has no counterpart that this codemod knows.`,
    }))
}
