import {
  MillraceError,
  type OptionNames,
  type ProcessInputStepArgs,
  type ProcessInputStepResult,
  type Processor,
  type ProcessToolCallArgs,
  type ProcessToolCallResult,
  type RequestContext,
  requireOptions,
  type ToolCall,
} from '@millrace/core'

export interface ToolAllowListOptions {
  /** Identifies the processor in results, events and errors. Default: `'tool-allow-list'`. */
  readonly id?: string
  /**
   * Names of tools; or an object with `true`, or a rule about the input, for each name; or a function of the request
   * context that returns one of these.
   */
  readonly allow: AllowedTools | ((requestContext: RequestContext) => AllowedTools | Promise<AllowedTools>)
}

const TOOL_ALLOW_LIST_OPTIONS: OptionNames<ToolAllowListOptions> = { id: 'optional', allow: 'required' }

/** The allowed tools by name; or an object with `true` or a rule about the input for each name. */
export type AllowedTools = readonly string[] | { readonly [toolName: string]: true | InputRule }

/**
 * Decides whether a call may run: `true`, or the reason for a denial, which the model reads. Any other value is a
 * denial. An error it throws fails the run.
 */
export type InputRule = {
  // A method, so that parameters are bivariant: a function of one tool's input is accepted.
  decide(
    // biome-ignore lint/suspicious/noExplicitAny: the input is what the tool's schema says
    input: any,
    options: { toolCall: ToolCall; requestContext: RequestContext },
  ): true | string | false | undefined | Promise<true | string | false | undefined>
}['decide']

/**
 * Restricts the tools that may run. All others are hidden from the model, and calls of them are denied, as are calls
 * whose input is refused by the tool's rule. Fails closed: what is not allowed is denied.
 *
 * Inputs are checked as they are at its position in the list: list it after processors that change them.
 *
 * @example
 * new ToolAllowList({ allow: { search: true, read: ({ path }) => path.startsWith('docs/') || 'Only files in docs/.' }
 * })
 */
export class ToolAllowList implements Processor {
  readonly id: string
  readonly #allowed: Allowed | ((requestContext: RequestContext) => Promise<Allowed>)

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: ToolAllowListOptions) {
    const { id = 'tool-allow-list', allow } = requireOptions(
      'ToolAllowList',
      options,
      TOOL_ALLOW_LIST_OPTIONS,
    )
    this.id = id
    this.#allowed =
      typeof allow === 'function'
        ? async (requestContext) => toAllowed(await allow(requestContext))
        : toAllowed(allow)
  }

  processInputStep(
    args: ProcessInputStepArgs,
  ): ProcessInputStepResult | undefined | Promise<ProcessInputStepResult | undefined> {
    return typeof this.#allowed === 'function'
      ? this.#allowed(args.requestContext).then((allowed) => hide(allowed, args))
      : hide(this.#allowed, args)
  }

  processToolCall(args: ProcessToolCallArgs): ProcessToolCallResult | Promise<ProcessToolCallResult> {
    return typeof this.#allowed === 'function'
      ? this.#allowed(args.requestContext).then((allowed) => judge(allowed, args))
      : judge(this.#allowed, args)
  }
}

type Allowed = ReadonlyMap<string, true | InputRule>

function toAllowed(allow: AllowedTools): Allowed {
  const entries: [string, unknown][] = Array.isArray(allow)
    ? allow.map((name) => [name, true])
    : Object.entries((allow ?? undefined) as { [toolName: string]: unknown })
  for (const [name, rule] of entries) {
    if (typeof name === 'string' && (rule === true || typeof rule === 'function')) continue
    throw new MillraceError(
      'CONFIG_INVALID',
      `allow has ${typeof rule} for the tool '${String(name)}'. Use true or a function of its input; leave out what may not run.`,
    )
  }
  return new Map(entries as [string, true | InputRule][])
}

function hide(
  allowed: Allowed,
  { tools, activeTools = Object.keys(tools), toolChoice }: ProcessInputStepArgs,
): ProcessInputStepResult | undefined {
  const names = activeTools.filter((name) => allowed.has(name))
  if (names.length === activeTools.length) return undefined
  const isHidden = typeof toolChoice === 'object' && !allowed.has(toolChoice.toolName)
  return { activeTools: names, ...(isHidden && { toolChoice: 'auto' }) }
}

function judge(
  allowed: Allowed,
  { toolCall, requestContext }: ProcessToolCallArgs,
): ProcessToolCallResult | Promise<ProcessToolCallResult> {
  const { toolName, input } = toolCall
  const rule = allowed.get(toolName)
  if (rule === true) return undefined
  if (rule === undefined) return { deny: `The tool '${toolName}' may not be used here.` }
  const verdict = rule(input, { toolCall, requestContext })
  return verdict instanceof Promise
    ? verdict.then((settled) => denial(settled, toolName))
    : denial(verdict, toolName)
}

function denial(verdict: unknown, toolName: string): ProcessToolCallResult {
  if (verdict === true) return undefined
  const reason = `The tool '${toolName}' may not be used with this input.`
  return { deny: typeof verdict === 'string' && verdict !== '' ? verdict : reason }
}
