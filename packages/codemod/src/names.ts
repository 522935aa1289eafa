import { type SourceFile, SyntaxKind } from 'ts-morph'
import { type Export, importsFrom, replaceImports } from './imports.ts'
import type { Note, Transform } from './transform.ts'

/** Old to new names of exports. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['MaxToolCallsOptions', 'MaxToolCallsGuardOptions'],
  ['TokenLimiterOptions', 'TokenLimiterProcessorOptions'],
  ['ToolCallFilterOptions', 'ToolCallFilterProcessorOptions'],
  ['StructuredOutputProcessorOptions', 'StructuredOutputOptions'],
  ['SpendEvent', 'CostGuardEvent'],
  ['CostWarning', 'CostGuardWarningEvent'],
  ['TrimmedCalls', 'MaxToolCallsGuardEvent'],
  ['LanguageEvent', 'LanguageDetectorEvent'],
  ['SummaryEvent', 'LargeMessageSummarizerEvent'],
  ['CacheEvent', 'ResponseCacheEvent'],
  ['RepairEvent', 'StructuredOutputEvent'],
  ['AuditFailure', 'AuditLogLossEvent'],
  ['Loop', 'LoopDetectorEvent'],
  ['ChunkType', 'Chunk'],
  ['ProcessToolResultsArgs', 'ProcessToolStepArgs'],
  ['ProcessToolResultsResult', 'ProcessToolStepResult'],
])

/** Exports that moved from core to a subpath or to another package. */
const FAMILIES = '@millrace/core/families'
const OASIS = new Set([
  'ChatRequest',
  'ChatResponse',
  'OasisAttachment',
  'OasisGenerationParams',
  'OasisMessage',
  'OasisResponseSchema',
  'OasisTool',
  'OasisToolCall',
  'OasisToolResult',
  'PostProcessor',
  'PostToolProcessor',
  'PreProcessor',
  'postLLM',
  'postTool',
  'preLLM',
])

export const names: Transform = {
  name: 'names',
  about: 'names of Millrace 0.1 become those of 0.2',
  apply(file) {
    if (!importsFrom(file, '@millrace/')) return []
    replaceImports(file, newPlace)
    renameHooks(file)
    renameStrategies(file)
    return callsWithoutOwner(file)
  },
}

function newPlace({ module, name }: Export): Export | undefined {
  if (!module.startsWith('@millrace/')) return undefined
  const to = { module: moduleOf(module, name), name: NAMES.get(name) ?? name }
  return to.module === module && to.name === name ? undefined : to
}

function moduleOf(module: string, name: string): string {
  if (module === FAMILIES) return `@millrace/interop/${OASIS.has(name) ? 'oasis' : 'codebolt'}`
  if (module === '@millrace/core' && name === 'InMemoryRunStore') return '@millrace/core/storage'
  // Its options type is exported by the package of the class.
  if (module === '@millrace/core' && name === 'StructuredOutputProcessorOptions') return '@millrace/steering'
  return module
}

/** The hook `processToolResults` has a new name. */
function renameHooks(file: SourceFile): void {
  const kinds = [
    SyntaxKind.MethodDeclaration,
    SyntaxKind.PropertyAssignment,
    SyntaxKind.PropertyDeclaration,
  ] as const
  for (const kind of kinds) {
    for (const member of file.getDescendantsOfKind(kind)) {
      if (member.getName() === 'processToolResults') member.getNameNode().replaceWithText('processToolStep')
    }
  }
}

/** The strategy that ends a run is named `block` everywhere. */
function renameStrategies(file: SourceFile): void {
  for (const creation of file.getDescendantsOfKind(SyntaxKind.NewExpression)) {
    if (creation.getExpression().getText() !== 'TokenLimiterProcessor') continue
    for (const options of creation.getArguments()) {
      const strategy = options.asKind(SyntaxKind.ObjectLiteralExpression)?.getProperty('strategy')
      const value = strategy
        ?.asKind(SyntaxKind.PropertyAssignment)
        ?.getInitializerIfKind(SyntaxKind.StringLiteral)
      if (value?.getLiteralValue() === 'abort') value.setLiteralValue('block')
    }
  }
}

/**
 * A run of a resource is only found with the resource's id. The codemod cannot know which one, so it reports
 * the call.
 */
function callsWithoutOwner(file: SourceFile): Note[] {
  const expected: ReadonlyMap<string, number> = new Map([
    ['resume', 3],
    ['release', 2],
  ])
  return file.getDescendantsOfKind(SyntaxKind.CallExpression).flatMap((call): Note[] => {
    const name = call.getExpressionIfKind(SyntaxKind.PropertyAccessExpression)?.getName() ?? ''
    const count = expected.get(name)
    const found = call.getArguments().length
    if (count === undefined || found === 0 || found >= count) return []
    const text = `${name}() finds a run that belongs to a resource only with { resourceId } as its last argument.`
    return [{ line: call.getStartLineNumber(), text }]
  })
}
