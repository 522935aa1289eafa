import {
  type MessageList,
  type OptionNames,
  type ProcessInputArgs,
  type Processor,
  requireCount,
  requireOptions,
} from '@millrace/core'
import { ContextMessages } from '../content/context-messages.ts'
import {
  CONTEXT_OPTIONS,
  type ContextOptions,
  type ContextSettings,
  contextSettings,
} from '../content/context-options.ts'
import { folderTree } from '../content/folder-tree.ts'
import { isRefusal, refusalSentence } from '../workspace/refusal.ts'
import { Workspace } from '../workspace/workspace.ts'

export interface DirectoryContextOptions extends ContextOptions {
  /** The folder to list. */
  readonly root: string
  /** The maximum number of files and folders. Those at a lower depth are listed first. Default: 200. */
  readonly maxEntries?: number
  /** The maximum depth; 1 lists only the root. Default: 4. */
  readonly maxDepth?: number
  /** Whether to leave out what a `.gitignore` excludes. Default: `true`. */
  readonly gitignore?: boolean
}

const DIRECTORY_CONTEXT_OPTIONS: OptionNames<DirectoryContextOptions> = {
  ...CONTEXT_OPTIONS,
  root: 'required',
  maxEntries: 'optional',
  maxDepth: 'optional',
  gitignore: 'optional',
}

/**
 * Adds a listing of a folder to every turn. Invisible characters in names, such as line breaks, are escaped.
 * Symbolic links are listed but not followed. Files that usually contain secrets are left out.
 */
export class DirectoryContext implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #settings: ContextSettings
  readonly #workspace: Workspace
  readonly #limits: { readonly maxEntries: number; readonly maxDepth: number }

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: DirectoryContextOptions) {
    const options = requireOptions('DirectoryContext', given, DIRECTORY_CONTEXT_OPTIONS)
    const { root, maxEntries = 200, maxDepth = 4, gitignore, onError = 'fail' } = options
    this.#settings = contextSettings(options, 'directory-context')
    this.#workspace = new Workspace({ root, gitignore })
    this.#limits = {
      maxEntries: requireCount('maxEntries', maxEntries, 1),
      maxDepth: requireCount('maxDepth', maxDepth, 1),
    }
    this.id = this.#settings.id
    this.onError = onError
  }

  async processInput(args: ProcessInputArgs): Promise<MessageList | undefined> {
    const context = new ContextMessages(this.#settings, args)
    const listing = await this.#workspace.list('.', { ...this.#limits, abortSignal: args.abortSignal })
    if (isRefusal(listing)) {
      context.refuse('the folder', refusalSentence(listing.refused), listing.refused)
      return context.finish()
    }
    await context.add({
      source: '.',
      tag: 'directory-listing',
      text: folderTree(listing),
      cutNote: (lines) => `Only the first ${lines} lines of the listing are shown.`,
    })
    return context.finish()
  }
}
