import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { HookWith } from '../hook-name.ts'
import type { RunStore } from '../storage/run-store.ts'
import type { InputHooks } from './input-hooks.ts'
import type { ModelHooks } from './model-hooks.ts'
import type { OutputHooks } from './output-hooks.ts'
import type { ToolHooks } from './tool-hooks.ts'

/**
 * A gate in the loop. It implements the hooks it needs; each may answer at once or with a promise. An instance serves
 * many runs at the same time, so what belongs to a run lives in the hooks' `state`, not in fields.
 *
 * A hook that throws fails the run with `PROCESSOR_FAILED`: what it was to check goes nowhere.
 *
 * A hook may change what it is given in place. The transcript (`messages`, `messageList`) and chunks are those of the run,
 * and `state` is the processor's: changes there hold for the rest of the run. Everything else is a copy. Changed settings of
 * a step (`systemMessages`, `tools`, `modelSettings` and their like) hold for that step, those of a model `request` for that
 * call, what goes into a tool for that execution; a change of `steps`, `usage` or `tool` is seen by no one else. Objects that
 * cannot be copied are shared with the application, and are not to be changed: models, schemas, `counters`, the values in
 * `requestContext`, and functions.
 */
export interface Processor<TId extends string = string>
  extends InputHooks,
    ModelHooks,
    OutputHooks,
    ToolHooks {
  /** Unique within a list. Names the processor in results, traces and errors. */
  readonly id: TId
  /** For display. Default: `id`. */
  readonly name?: string
  /**
   * What happens when a hook throws: `fail` ends the run, `skip` continues as if the hook had returned nothing and puts
   * the error into `result.warnings`; a `MillraceError` with a `CONFIG_…` code is the caller's mistake and is not
   * skipped. Default: `fail`.
   */
  readonly onError?: 'fail' | 'skip'
  /**
   * Names what only one processor of a list may do: two with the same name are a construction error, whatever their ids.
   * `message-history` among the input processors also says that the conversation is loaded from a store: of what a chat
   * client sends only the newest user message and answers to suspended runs are believed then.
   */
  readonly exclusive?: string
  /**
   * It keeps answers, such as a memory does, and keeps them also where they came to no end. What went out of an answer that
   * was stopped or failed is then shown to all processors, in `processOutputStep` and `processOutputResult` with `incomplete`,
   * and kept unless one of them ends the run over it. Default: false; without such a processor it is shown to none.
   */
  readonly keepsIncomplete?: boolean
  /**
   * What it would take for its runs to continue in another process, where they cannot as it is: it keeps a secret of its own,
   * say. Engines that move runs between processes refuse it with this text.
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

/** Something that brings processors with it, such as a memory. */
export interface ProcessorProvider {
  /** Where an agent without a `storage` of its own keeps suspended runs. */
  readonly storage?: RunStore
  getInputProcessors?(): Processor[]
  getOutputProcessors?(): Processor[]
}
