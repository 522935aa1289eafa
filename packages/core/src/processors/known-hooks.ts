import { MillraceError } from '../errors.ts'
import { HOOK_NAMES, RENAMED_HOOKS } from '../hook-name.ts'
import { nearestName } from '../nearest-name.ts'

/**
 * Properties, own or inherited, by which objects of other frameworks are recognized: hooks, and fields of published
 * classes. Here such an object would run only in part or not at all, so its checks would be skipped.
 */
const MARKS: Readonly<Record<string, string>> = {
  Mastra:
    '__registerMastra computeStateSignal processDataParts processorIndex spanType spanAttributes providesSkillDiscovery detectionAgent moderationAgent structuringAgent streamCarryoverSize flushBatch retainFullInput defaultWorkingMemoryTemplate indexValidationCache catalogForStep',
  LangChain:
    '~middlewareTypes beforeAgent beforeModel afterModel afterAgent wrapToolCall stateSchema contextSchema',
  'the OpenAI Agents SDK': 'runInParallel guardrailFunction tripwireTriggered',
  'the AI SDK':
    'specificationVersion transformParams wrapGenerate wrapStream overrideProvider overrideModelId overrideSupportedUrls',
}

/** The adapters for processors of these frameworks. */
const ADAPTERS: Readonly<Record<string, string>> = {
  LangChain: 'langchainMiddleware() of @millrace/interop/langchain',
  Mastra: 'mastraProcessor() of @millrace/interop/mastra',
  'the OpenAI Agents SDK': 'inputGuardrail() and its like of @millrace/interop/openai-agents',
  'the AI SDK': 'modelMiddleware() of @millrace/interop/ai-sdk',
}

const frameworks = new Map<PropertyKey, string>([
  [Symbol.for('AgentMiddleware'), 'LangChain'],
  ...Object.entries(MARKS).flatMap(([framework, keys]) =>
    keys.split(' ').map((key): [string, string] => [key, framework]),
  ),
])

/**
 * Refuses a processor with a property that would never be used: a method with a name like a hook's, or a property of
 * another framework.
 *
 * @throws MillraceError `CONFIG_HOOK_UNKNOWN`
 */
export function refuseUnknownHooks(processor: object, list: string): void {
  for (
    let level: object | null = processor;
    level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level)
  ) {
    for (const key of Reflect.ownKeys(level)) {
      const framework = frameworks.get(key)
      if (framework !== undefined) throw foreign(processor, list, { key, framework })
      if (typeof key !== 'string' || !isLikeHook(key)) continue
      if (typeof Object.getOwnPropertyDescriptor(level, key)?.value !== 'function') continue
      throw unknownHook(processor, list, key)
    }
  }
}

const hooks: ReadonlySet<string> = new Set(HOOK_NAMES)

/** Whether the name starts with `process…`, or is within two edits of a hook's name. */
function isLikeHook(key: string): boolean {
  if (hooks.has(key)) return false
  return /^process[A-Z]/.test(key) || nearestName(key, HOOK_NAMES) !== undefined
}

function unknownHook(processor: object, list: string, key: string): MillraceError {
  const renamed = RENAMED_HOOKS.get(key)
  if (renamed !== undefined) {
    return new MillraceError(
      'CONFIG_HOOK_UNKNOWN',
      `${nameOf(processor)} in ${list} has a method '${key}'. That hook is named ${renamed} now; its arguments and results are the same. Rename the method.`,
    )
  }
  const meant = nearestName(key, HOOK_NAMES)
  return new MillraceError(
    'CONFIG_HOOK_UNKNOWN',
    `${nameOf(processor)} in ${list} has a method '${key}', which looks like a hook but is not one, so it would never be called. ${meant ? `Did you mean ${meant}?` : `The hooks are ${HOOK_NAMES.join(', ')}.`} For another method, use another name or a #private method.`,
  )
}

function foreign(
  processor: object,
  list: string,
  { key, framework }: { key: PropertyKey; framework: string },
): MillraceError {
  const adapter = ADAPTERS[framework]
  const remedy = adapter ? `Adapt it by ${adapter}, or write` : 'Write'
  return new MillraceError(
    'CONFIG_HOOK_UNKNOWN',
    `${nameOf(processor)} in ${list} has '${String(key)}', which belongs to ${framework}: here it would run only in part or not at all, so its checks would be skipped. ${remedy} the check as hooks of a Processor. If it is your own field, rename it.`,
  )
}

function nameOf(processor: object): string {
  const { id, name } = processor as { id?: unknown; name?: unknown }
  return `The processor '${String(id ?? name)}'`
}
