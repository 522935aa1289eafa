import { MillraceError } from '@millrace/core'

type Hook = (...args: never[]) => unknown

/** A hook that accepts the arguments of LangChain. */
export type CalledHook = (...args: readonly unknown[]) => unknown

type NodeHook = Hook | { hook: Hook; canJumpTo?: readonly string[] }

/** The part of LangChain's `AgentMiddleware` that is used. */
export interface PublishedMiddleware {
  name: string
  stateSchema?: unknown
  contextSchema?: unknown
  tools?: readonly unknown[] | undefined
  streamTransformers?: readonly unknown[] | undefined
  beforeAgent?: NodeHook | undefined
  beforeModel?: NodeHook | undefined
  wrapModelCall?: Hook | undefined
  afterModel?: NodeHook | undefined
  wrapToolCall?: Hook | undefined
  afterAgent?: NodeHook | undefined
}

const HOOKS = [
  'beforeAgent',
  'beforeModel',
  'wrapModelCall',
  'afterModel',
  'wrapToolCall',
  'afterAgent',
] as const

/** LangChain middleware that needs its graph, by name, with the alternative here. */
const NEED_GRAPH: Readonly<Record<string, string>> = {
  BedrockPromptCachingMiddleware: "sets options of LangChain's models. Use providerOptions of the agent",
  HumanInTheLoopMiddleware: 'interrupts a graph. Use needsApproval of the tool, or toolApproval of the agent',
  LLMToolSelector: 'asks the model of the graph. Use ToolSearch of @millrace/steering',
  OpenAIModerationMiddleware:
    'asks OpenAI through a model of LangChain. Use ModerationProcessor of @millrace/guards',
  PromptCachingMiddleware: "sets options of LangChain's models. Use providerOptions of the agent",
  ProviderToolSearch: "changes tools into the providers' own. Use ToolSearch of @millrace/steering",
  ToolCallLimitMiddleware: "answers calls in LangChain's state. Use MaxToolCallsGuard of @millrace/steering",
  modelFallbackMiddleware: 'asks other models, past the processors. Use ModelFallback of @millrace/steering',
}

/**
 * Rejects a middleware that would let content pass unguarded here, or would have no effect.
 *
 * @throws MillraceError `CONFIG_INVALID`
 */
export function checkMiddleware(middleware: PublishedMiddleware): void {
  const reason = reasonAgainst(middleware)
  if (reason === undefined) return
  throw new MillraceError(
    'CONFIG_INVALID',
    `langchainMiddleware() received ${middleware?.name ? `'${middleware.name}'` : 'a middleware'}, which ${reason}.`,
  )
}

function reasonAgainst(middleware: PublishedMiddleware): string | undefined {
  if (typeof middleware !== 'object' || middleware === null || typeof middleware.name !== 'string')
    return 'has no name. Pass what createMiddleware() of LangChain returns'
  if (Object.hasOwn(NEED_GRAPH, middleware.name)) return NEED_GRAPH[middleware.name]
  if (!HOOKS.some((hook) => hookOf(middleware[hook]))) return 'has none of the hooks that run here'
  if (middleware.tools?.length) return 'has its own tools. Pass Millrace tools to the agent instead'
  if (middleware.streamTransformers?.length)
    return "has streamTransformers, which take the stream of LangChain's graph"
  if (middleware.stateSchema !== undefined && fieldsOf(middleware.stateSchema) === undefined)
    return 'has a stateSchema that is not a Zod object, so its reducers cannot run'
  return undefined
}

/** The function of a hook. In LangChain, a hook can be an object with its jump targets. */
export function hookOf(given: NodeHook | undefined): CalledHook | undefined {
  return (typeof given === 'function' ? given : given?.hook) as CalledHook | undefined
}

/** The initial state of a middleware: the defaults of its schema. */
export function initialState({ stateSchema }: PublishedMiddleware): Record<string, unknown> {
  const fields = Object.entries(fieldsOf(stateSchema) ?? {})
  const state: Record<string, unknown> = {}
  for (const [key, field] of fields) {
    const { success, data } = field.safeParse(undefined)
    if (success && data !== undefined) state[key] = data
  }
  return state
}

type Field = { safeParse(value: unknown): { success: boolean; data?: unknown } }

function fieldsOf(schema: unknown): Record<string, Field> | undefined {
  const shape = (schema as { shape?: unknown } | undefined)?.shape
  return typeof shape === 'object' && shape !== null ? (shape as Record<string, Field>) : undefined
}
