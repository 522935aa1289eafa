import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { HookWith } from '../hook-name.ts'
import type { RunStore } from '../storage/run-store.ts'
import type { InputHooks } from './input-hooks.ts'
import type { ModelHooks } from './model-hooks.ts'
import type { OutputHooks } from './output-hooks.ts'
import type { ToolHooks } from './tool-hooks.ts'

/**
 * Hooks into the loop. Implement the hooks you need; each may be synchronous or return a promise. An instance serves
 * many runs at the same time, so keep the data of a run in the hooks' `state`, not in fields.
 *
 * A hook that throws fails the run with `PROCESSOR_FAILED`: nothing that it did not check is emitted.
 *
 * A hook may edit its arguments in place. The transcript (`messages`, `messageList`) and chunks belong to the run,
 * and `state` to the processor: edits last for the rest of the run. Everything else is a copy. Edits of a step's
 * settings (`systemMessages`, `tools`, `modelSettings` …) last for that step, those of a model `request` for that
 * call, and those of a tool's input for that execution. Edits of `steps`, `usage` or `tool` have no effect. Do not
 * edit objects that cannot be copied, because they are shared with the application: models, schemas, `counters`, the
 * values in `requestContext`, and functions.
 */
export interface Processor<TId extends string = string>
  extends InputHooks,
    ModelHooks,
    OutputHooks,
    ToolHooks {
  /** Unique within a list. Identifies the processor in results, traces and errors. */
  readonly id: TId
  /** For display. Default: `id`. */
  readonly name?: string
  /**
   * What happens if a hook throws. `fail` ends the run. `skip` continues as if the hook had returned nothing, and
   * adds the error to `result.warnings`; a `MillraceError` with a `CONFIG_…` code is a mistake of the caller and is
   * not skipped. Default: `fail`.
   */
  readonly onError?: 'fail' | 'skip'
  /**
   * A role that only one processor of a list may have: two processors with the same value are a construction error.
   * `message-history` in an input processor also means that the conversation is loaded from a store: of a chat
   * client's messages, only the newest user message and the responses to suspended runs are then accepted.
   */
  readonly exclusive?: string
  /**
   * Whether the processor stores answers, as a memory does, and also incomplete ones. If an answer is stopped or
   * fails, what was emitted of it then passes `processOutputStep` and `processOutputResult` of all processors with
   * `incomplete`, and is stored unless one of them ends the run. If it then is not stored, or a processor aborts a run
   * that has called tools, only these processors are called, for the calls that were executed. If such a processor
   * fails after tools were called, the run suspends, and the processor is called again when the run is resumed. In the
   * input list alone, its hooks of both lists are not called. Default: false; if no processor sets it, incomplete
   * answers are not passed to any.
   */
  readonly keepsIncomplete?: boolean
  /**
   * Set if runs with this processor cannot continue in another process, for example because it generates a secret:
   * what the user must change so that they can. Engines that move runs between processes refuse the processor with
   * this text.
   */
  readonly boundToProcess?: string | undefined
  /**
   * Loads and compiles what the first message would otherwise wait for: modules, tables, patterns. `agent.warmUp()` calls it,
   * before any run. It may be called several times, and twice at once; it does nothing that a run or another user could see.
   */
  warmUp?(args: WarmUpArgs): void | Promise<void>
}

export interface WarmUpArgs {
  /** The agent's model, for processors that load by it. */
  readonly model: LanguageModelV4
}

/** A processor with one of the hooks. */
type WithOneOf<HOOKS extends keyof Processor, TId extends string> = {
  [HOOK in HOOKS]: Processor<TId> & Required<Pick<Processor<TId>, HOOK>>
}[HOOKS]

/** A processor with at least one input hook. */
export type InputProcessor<TId extends string = string> = WithOneOf<HookWith<'list', 'input'>, TId>

/** A processor with at least one output hook. */
export type OutputProcessor<TId extends string = string> = WithOneOf<HookWith<'list', 'output'>, TId>

/** An object that provides processors, such as a memory. */
export interface ProcessorProvider {
  /** The store for suspended runs if the agent has no `storage` of its own. */
  readonly storage?: RunStore
  getInputProcessors?(): Processor[]
  getOutputProcessors?(): Processor[]
}
