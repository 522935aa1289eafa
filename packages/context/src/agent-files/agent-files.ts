import {
  type MessageList,
  MillraceError,
  type OptionNames,
  type ProcessInputArgs,
  type Processor,
  type RequestContext,
  requireOptions,
} from '@millrace/core'
import { ContextMessages } from '../content/context-messages.ts'
import {
  CONTEXT_OPTIONS,
  type ContextOptions,
  type ContextSettings,
  contextSettings,
} from '../content/context-options.ts'
import { segmentsOf } from '../workspace/contained-path.ts'
import { isRefusal, refusalSentence } from '../workspace/refusal.ts'
import { Workspace } from '../workspace/workspace.ts'

export interface AgentFilesOptions extends ContextOptions {
  /** The folder of the project. Nothing outside it is read. */
  readonly root: string
  /**
   * Names of the files, in order of preference: of each folder, the first one that exists is read. Default:
   * `['AGENTS.md']`.
   */
  readonly names?: readonly string[]
  /**
   * The folder that the agent works in, relative to the root; or a function of the request context. Default:
   * the root.
   */
  readonly folder?: string | ((requestContext: RequestContext) => string | undefined)
  /** The maximum number of bytes to read of a file. Default: 100,000. */
  readonly maxFileBytes?: number
  /** Whether to leave out files that a `.gitignore` excludes. Default: `true`. */
  readonly gitignore?: boolean
}

const AGENT_FILES_OPTIONS: OptionNames<AgentFilesOptions> = {
  ...CONTEXT_OPTIONS,
  root: 'required',
  names: 'optional',
  folder: 'optional',
  maxFileBytes: 'optional',
  gitignore: 'optional',
}

/**
 * Adds the project's notes for agents: the `AGENTS.md` of the folder that the agent works in, and those of
 * its parent folders up to the root, nearest first. They are content, not instructions of the application:
 * each is a user message of its own.
 */
export class AgentFiles implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #settings: ContextSettings
  readonly #workspace: Workspace
  readonly #names: readonly string[]
  readonly #folder: NonNullable<AgentFilesOptions['folder']>

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: AgentFilesOptions) {
    const options = requireOptions('AgentFiles', given, AGENT_FILES_OPTIONS)
    const { root, names = ['AGENTS.md'], folder = '.', maxFileBytes, gitignore, onError = 'fail' } = options
    this.#settings = contextSettings(options, 'agent-files')
    this.#workspace = new Workspace({ root, maxFileBytes, gitignore })
    if (!Array.isArray(names) || names.length === 0 || !names.every(isName)) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `names is '${String(names)}'. Use names of files without folders.`,
      )
    }
    this.#names = names
    this.#folder = folder
    this.id = this.#settings.id
    this.onError = onError
  }

  async processInput(args: ProcessInputArgs): Promise<MessageList | undefined> {
    const context = new ContextMessages(this.#settings, args)
    const { requestContext } = args
    const folder = typeof this.#folder === 'function' ? (this.#folder(requestContext) ?? '.') : this.#folder
    const segments = segmentsOf(folder)
    if (isRefusal(segments)) {
      context.refuse(folder, refusalSentence(segments.refused), segments.refused)
      return context.finish()
    }
    for (let length = segments.length; length >= 0; length--) {
      args.abortSignal.throwIfAborted()
      await this.#addFrom(segments.slice(0, length), context)
    }
    return context.finish()
  }

  async #addFrom(folder: readonly string[], context: ContextMessages): Promise<void> {
    for (const name of this.#names) {
      const path = [...folder, name].join('/')
      const file = await this.#workspace.read(path)
      if (!isRefusal(file)) {
        await context.add({
          source: path,
          tag: 'agent-file',
          attributes: { path },
          text: file.text,
          note: file.isWhole ? undefined : `Only the first part was read; the file has ${file.size} bytes.`,
        })
        return
      }
      if (file.refused !== 'missing') context.refuse(path, refusalSentence(file.refused), file.refused)
    }
  }
}

function isName(name: unknown): boolean {
  if (typeof name !== 'string') return false
  const segments = segmentsOf(name)
  return !isRefusal(segments) && segments.length === 1
}
