import { join } from 'node:path'
import {
  type MessageList,
  MillraceError,
  type OptionNames,
  type ProcessInputArgs,
  type Processor,
  type RequestContext,
  requireCount,
  requireOneOf,
  requireOptions,
} from '@millrace/core'
import { ContextMessages } from '../content/context-messages.ts'
import {
  ADDED_OPTIONS,
  type ContextOptions,
  type ContextSettings,
  contextSettings,
} from '../content/context-options.ts'
import { turnText } from '../turn/turn-text.ts'
import { isRefusal, refusalSentence } from '../workspace/refusal.ts'
import { Workspace } from '../workspace/workspace.ts'
import { findMemories } from './find-memories.ts'
import { memoryFolder } from './memory-folder.ts'

/** The arguments of `resolve`: whose memory is requested. */
export interface MemoryImportArgs {
  /** The owner of the conversation. */
  readonly resourceId: string | undefined
  readonly threadId: string | undefined
  readonly requestContext: RequestContext
  readonly abortSignal: AbortSignal
}

export interface MemoryImportsOptions extends Omit<ContextOptions, 'onRefused'> {
  /**
   * Returns the text of a memory, or `undefined`: `(name, { resourceId, threadId, requestContext, abortSignal
   * })`.
   */
  readonly resolve?: (
    name: string,
    args: MemoryImportArgs,
  ) => string | undefined | Promise<string | undefined>
  /** A folder with one subfolder per resource. Each memory is a file `<name>.md` in it. */
  readonly root?: string
  /** The maximum number of memories per turn. Default: 10. */
  readonly maxMemories?: number
  /**
   * What happens if a memory does not exist: `'note'` tells the model, `'ignore'` does nothing, `'block'`
   * blocks the run. Default: `'note'`.
   */
  readonly onMissing?: 'note' | 'ignore' | 'block'
}

const MEMORY_IMPORTS_OPTIONS: OptionNames<MemoryImportsOptions> = {
  ...ADDED_OPTIONS,
  resolve: 'optional',
  root: 'optional',
  maxMemories: 'optional',
  onMissing: 'optional',
}

/**
 * Adds the memories that the user names: `@memory:style`. Names are only read from the user text of this
 * turn, not from code in it. Each memory is a context message of its own, and belongs to the resource of the
 * run.
 */
export class MemoryImports implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #settings: ContextSettings
  readonly #resolve: NonNullable<MemoryImportsOptions['resolve']>
  readonly #maxMemories: number
  readonly #onMissing: 'note' | 'ignore' | 'block'

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: MemoryImportsOptions) {
    const options = requireOptions('MemoryImports', given, MEMORY_IMPORTS_OPTIONS)
    const { resolve, root, maxMemories = 10, onMissing = 'note', onError = 'fail' } = options
    this.#settings = contextSettings(options, 'memory-imports')
    if ((resolve === undefined) === (root === undefined)) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'MemoryImports needs either resolve or root. Set exactly one of them.',
      )
    }
    this.#resolve = resolve ?? fromFolder(root as string)
    this.#maxMemories = requireCount('maxMemories', maxMemories, 1)
    requireOneOf('onMissing', onMissing, ['note', 'ignore', 'block'])
    this.#onMissing = onMissing
    this.id = this.#settings.id
    this.onError = onError
  }

  async processInput(args: ProcessInputArgs): Promise<MessageList | undefined> {
    const turn = await turnText(args, '@memory:')
    const names = turn ? [...new Set(findMemories(turn.prose).map(({ name }) => name))] : []
    if (names.length === 0) return undefined
    const { requestContext, abortSignal } = args
    const { resourceId, threadId } = requestContext
    const context = new ContextMessages(this.#settings, args)
    for (const [index, name] of names.entries()) {
      if (index === this.#maxMemories) {
        context.note(`More memories were left out: the limit is ${this.#maxMemories}.`)
        break
      }
      const text = await this.#resolve(name, { resourceId, threadId, requestContext, abortSignal })
      if (text === undefined) this.#miss(name, context, args)
      else await context.add({ source: name, tag: 'memory', attributes: { name }, text })
    }
    return context.finish()
  }

  #miss(name: string, context: ContextMessages, args: ProcessInputArgs): void {
    if (this.#onMissing === 'ignore') return
    if (this.#onMissing === 'block')
      args.abort('A named memory does not exist.', { metadata: { reason: 'missing' } })
    context.refuse(name, 'There is no memory with this name.', 'missing')
  }
}

function fromFolder(root: string): NonNullable<MemoryImportsOptions['resolve']> {
  return async (name, { resourceId }) => {
    if (resourceId === undefined) return undefined
    // The workspace root is the folder of this resource, so that no link can lead to another resource.
    const workspace = new Workspace({ root: join(root, memoryFolder(resourceId)), gitignore: false })
    const file = await workspace.read(`${name}.md`)
    if (!isRefusal(file)) return file.text
    return file.refused === 'missing' ? undefined : `[${refusalSentence(file.refused)}]`
  }
}
