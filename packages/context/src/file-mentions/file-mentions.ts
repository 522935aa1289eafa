import {
  type MessageList,
  type OptionNames,
  type ProcessInputArgs,
  type Processor,
  requireCount,
  requireOneOf,
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
import { turnText } from '../turn/turn-text.ts'
import { isRefusal, type Refusal, refusalSentence } from '../workspace/refusal.ts'
import { Workspace, type WorkspaceFile } from '../workspace/workspace.ts'
import { type FileMention, findMentions } from './find-mentions.ts'

export interface FileMentionsOptions extends ContextOptions {
  /** The folder that may be read. */
  readonly root: string
  /**
   * The maximum number of files and folders per turn. Up to ten times as many mentions are looked up.
   * Default: 10.
   */
  readonly maxFiles?: number
  /** The maximum number of bytes to read of a file; the model is told if it is cut. Default: 100,000. */
  readonly maxFileBytes?: number
  /** Globs of the files that may be read, such as `['docs/**']`. Default: all. */
  readonly allow?: readonly string[]
  /**
   * What happens if a mentioned file does not exist: `'note'` tells the model, `'ignore'` does nothing,
   * `'block'` blocks the run. Default: `'note'`.
   */
  readonly onMissing?: 'note' | 'ignore' | 'block'
  /** Whether to refuse files that a `.gitignore` excludes. Default: `true`. */
  readonly gitignore?: boolean
}

const FILE_MENTIONS_OPTIONS: OptionNames<FileMentionsOptions> = {
  ...CONTEXT_OPTIONS,
  root: 'required',
  maxFiles: 'optional',
  maxFileBytes: 'optional',
  allow: 'optional',
  onMissing: 'optional',
  gitignore: 'optional',
}

/** How many mentions are looked up per file that may be read. */
const LOOKUPS_PER_FILE = 10

/**
 * Adds the files and folders that the user mentions: `@docs/setup.md`, `@"a file.md"`, `@src/`,
 * `@main.ts#L10-20`. Mentions are only read from the user text of this turn, not from code in it. Each file
 * is a context message of its own.
 */
export class FileMentions implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #settings: ContextSettings
  readonly #workspace: Workspace
  readonly #maxFiles: number
  readonly #onMissing: 'note' | 'ignore' | 'block'

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: FileMentionsOptions) {
    const options = requireOptions('FileMentions', given, FILE_MENTIONS_OPTIONS)
    const {
      root,
      maxFiles = 10,
      maxFileBytes,
      allow,
      gitignore,
      onMissing = 'note',
      onError = 'fail',
    } = options
    this.#settings = contextSettings(options, 'file-mentions')
    this.#workspace = new Workspace({ root, allow, gitignore, maxFileBytes })
    this.#maxFiles = requireCount('maxFiles', maxFiles, 1)
    requireOneOf('onMissing', onMissing, ['note', 'ignore', 'block'])
    this.#onMissing = onMissing
    this.id = this.#settings.id
    this.onError = onError
  }

  async processInput(args: ProcessInputArgs): Promise<MessageList | undefined> {
    const turn = await turnText(args, '@')
    const mentions = turn ? unique(findMentions(turn.prose)) : []
    if (mentions.length === 0) return undefined
    const context = new ContextMessages(this.#settings, args)
    let files = 0
    for (const [index, mention] of mentions.entries()) {
      args.abortSignal.throwIfAborted()
      if (files === this.#maxFiles || index === this.#maxFiles * LOOKUPS_PER_FILE) {
        context.note(`More mentions were left out: the limit is ${this.#maxFiles} files.`)
        break
      }
      if (await this.#add(mention, context, args)) files++
    }
    return context.finish()
  }

  /** Returns whether the file exists. */
  async #add(mention: FileMention, context: ContextMessages, args: ProcessInputArgs): Promise<boolean> {
    const { path } = mention
    const file = await this.#workspace.read(path)
    if (!isRefusal(file)) {
      await addFile(context, file, mention)
      return true
    }
    const listing =
      file.refused === 'folder' ? await this.#workspace.list(path, { abortSignal: args.abortSignal }) : file
    if (!isRefusal(listing)) {
      const source = `${listing.path}/`
      await context.add({
        source,
        tag: 'attached-folder',
        attributes: { path: source },
        text: folderTree(listing),
      })
      return true
    }
    return this.#refuse(mention, listing, { context, args })
  }

  #refuse(
    { path, isAmbiguous }: FileMention,
    { refused }: Refusal,
    { context, args }: { context: ContextMessages; args: ProcessInputArgs },
  ): boolean {
    if (refused !== 'missing') {
      context.refuse(path, refusalSentence(refused), refused)
      return true
    }
    if (isAmbiguous || this.#onMissing === 'ignore') return false
    if (this.#onMissing === 'block')
      args.abort('A mentioned file does not exist.', { metadata: { reason: refused } })
    context.refuse(path, refusalSentence(refused), refused)
    return true
  }
}

async function addFile(context: ContextMessages, file: WorkspaceFile, { lines }: FileMention): Promise<void> {
  const { path, text, size, isWhole } = file
  const unread = isWhole ? undefined : `Only the first part of the file was read; it has ${size} bytes.`
  const first = lines?.first ?? 1
  const all = text.split('\n')
  const wanted = lines ? all.slice(lines.first - 1, lines.last) : all
  if (lines && wanted.length === 0) {
    context.refuse(
      path,
      `It has ${all.length} lines, not ${lines.first}.${unread ? ` ${unread}` : ''}`,
      'no-lines',
    )
    return
  }
  const range = lines && `${first}-${first + wanted.length - 1}`
  await context.add({
    source: range === undefined ? path : `${path}#L${range}`,
    tag: 'attached-file',
    attributes: { path, lines: range },
    text: lines ? wanted.join('\n') : text,
    note: unread,
    cutNote: (shown) =>
      shown === 0
        ? `Only the beginning of line ${first} is shown.`
        : `Only lines ${first} to ${first + shown - 1} of ${all.length} are shown. Ask for @${path}#L${first + shown} to see more.`,
  })
}

function unique(mentions: readonly FileMention[]): FileMention[] {
  const byKey = new Map(
    mentions.map((mention) => [`${mention.path}#${mention.lines?.first}-${mention.lines?.last}`, mention]),
  )
  return [...byKey.values()]
}
