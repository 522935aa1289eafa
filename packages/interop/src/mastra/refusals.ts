import { MillraceError } from '@millrace/core'
import type { PublishedProcessor } from './published-processor.ts'

const HOOKS = [
  'processInput',
  'processInputStep',
  'processLLMRequest',
  'processAPIError',
  'processOutputStream',
  'processOutputStep',
  'processToolResult',
  'processOutputResult',
] as const

/** Mastra processors that need Mastra's runtime, by class, with the alternative here. */
const NEED_MASTRA: Readonly<Record<string, string>> = {
  ClassifierProcessor: 'asks classifiers that Mastra registers. Use a guard of @millrace/guards',
  MemoryInputFilter: "filters what Mastra's memory recalls",
  MessageHistory: "reads and writes Mastra's memory. Use Memory of @millrace/memory",
  SemanticRecall: "reads and writes Mastra's memory. Use SemanticRecall of @millrace/memory",
  WorkingMemory: "reads Mastra's memory. Use WorkingMemory of @millrace/memory",
  ResponseCache: "keeps responses in Mastra's own form. Use the response cache of @millrace/steering",
  StructuredOutputProcessor:
    "ends Mastra's stream with an object. Use the output option of the agent, or the structured output of @millrace/steering",
  ToolSearchProcessor: "gives the model tools in Mastra's own form. Use tool search of @millrace/steering",
  BatchPartsProcessor: 'joins chunks of a stream, and here the text of a step is one chunk already',
  SkillsProcessor: "reads skills from Mastra's workspace and adds Mastra's tools",
  SkillSearchProcessor: "reads skills from Mastra's workspace and adds Mastra's tools",
  WorkspaceInstructionsProcessor: "reads Mastra's workspace",
  ModelSelectionProcessor: "selects a model by Mastra's registry. Use the model router of @millrace/steering",
  CostGuardProcessor: "adds up costs in Mastra's storage. Use the budget of @millrace/steering",
  TokenCostControl: "adds up costs in Mastra's storage. Use the budget of @millrace/steering",
}

/**
 * Rejects a processor that would let content pass unguarded here, or would have no effect.
 *
 * @throws MillraceError `CONFIG_INVALID`
 */
export function checkPublished(processor: PublishedProcessor, mastra: unknown): void {
  const reason = reasonAgainst(processor, mastra)
  if (reason === undefined) return
  const name = processor?.constructor?.name
  throw new MillraceError(
    'CONFIG_INVALID',
    `mastraProcessor() received ${name && name !== 'Object' ? `a ${name}` : 'a processor'}, which ${reason}.`,
  )
}

function reasonAgainst(processor: PublishedProcessor, mastra: unknown): string | undefined {
  if (typeof processor !== 'object' || processor === null || typeof processor.id !== 'string')
    return 'has no id. Pass a processor of Mastra'
  if ('steps' in processor && 'execute' in processor) return 'is a workflow. Pass its processors one by one'
  const needed = namesOf(processor).find((name) => Object.hasOwn(NEED_MASTRA, name))
  if (needed !== undefined) return NEED_MASTRA[needed]
  if (typeof processor.computeStateSignal === 'function')
    return "has computeStateSignal, which needs Mastra's memory"
  if (typeof processor.processLLMResponse === 'function')
    return "has processLLMResponse, which takes the responses of Mastra's own loop. Use wrapModelCall of a Processor"
  if (!HOOKS.some((hook) => typeof processor[hook] === 'function'))
    return 'has none of the hooks that run here'
  const { errorStrategy } = processor as { errorStrategy?: unknown }
  if (errorStrategy !== undefined && errorStrategy !== 'strict')
    return `lets everything through when its model fails: errorStrategy is '${String(errorStrategy)}'. Pass errorStrategy: 'strict'`
  if (typeof processor.__registerMastra === 'function' && mastra === undefined)
    return 'is registered with a Mastra instance. Pass the instance: mastraProcessor(processor, { mastra })'
  return undefined
}

/** The names of its class and of its base classes. */
function namesOf(processor: object): string[] {
  const names: string[] = []
  for (
    let level = Object.getPrototypeOf(processor);
    level && level !== Object.prototype;
    level = Object.getPrototypeOf(level)
  )
    names.push(level.constructor.name)
  return names
}
