import {
  type Message,
  type MessageList,
  MillraceError,
  type OptionNames,
  type ProcessInputArgs,
  type ProcessInputStepArgs,
  type Processor,
  type RequestContext,
  requireCount,
  requireOptions,
  userMessage,
} from '@millrace/core'
import { addContext } from '../content/add-context.ts'
import {
  ADDED_OPTIONS,
  type ContextOptions,
  type ContextSettings,
  contextSettings,
} from '../content/context-options.ts'
import { fitText, tokensOf } from '../content/fit-text.ts'
import { escapeTags, taggedText } from '../content/tagged-text.ts'
import { type EditorState, editorLines } from './editor-state.ts'

export interface EditorContextOptions extends Omit<ContextOptions, 'onRefused'> {
  /** Reads the state of the editor from the request context; `undefined` if there is none. */
  readonly from: (requestContext: RequestContext) => EditorState | undefined
  /** The maximum length of the selection in UTF-16 units; the rest is left out. Default: 4,000. */
  readonly maxSelection?: number
}

const EDITOR_CONTEXT_OPTIONS: OptionNames<EditorContextOptions> = {
  ...ADDED_OPTIONS,
  from: 'required',
  maxSelection: 'optional',
}

/** The state that the model got at the beginning of the run. */
interface ToldState {
  first?: Record<string, string>
}

/**
 * Adds what the user has open in an editor. The first step of a run gets the whole state, before the user
 * message. Later steps get what has changed since, at the end of the prompt, so that the beginning of the
 * prompt stays the same.
 */
export class EditorContext implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #settings: ContextSettings
  readonly #from: EditorContextOptions['from']
  readonly #maxSelection: number

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: EditorContextOptions) {
    const options = requireOptions('EditorContext', given, EDITOR_CONTEXT_OPTIONS)
    const { from, maxSelection = 4_000, onError = 'fail' } = options
    this.#settings = contextSettings(options, 'editor-context')
    if (typeof from !== 'function') {
      throw new MillraceError(
        'CONFIG_INVALID',
        `from is '${String(from)}'. Use a function that takes the state of the editor from the request context.`,
      )
    }
    this.#from = from
    this.#maxSelection = requireCount('maxSelection', maxSelection, 0)
    this.id = this.#settings.id
    this.onError = onError
  }

  async processInput(args: ProcessInputArgs): Promise<MessageList | undefined> {
    const told = args.state as ToldState
    told.first = editorLines(this.#from(args.requestContext) ?? {}, this.#maxSelection)
    const text = Object.values(told.first).join('\n')
    const message = text === '' ? undefined : await this.#message('editor', text)
    return message && addContext(args.messageList, [message])
  }

  async processInputStep({
    messages,
    requestContext,
    state,
  }: ProcessInputStepArgs): Promise<Message[] | undefined> {
    const { first = {} } = state as ToldState
    const lines = editorLines(this.#from(requestContext) ?? {}, this.#maxSelection)
    const names = new Set([...Object.keys(first), ...Object.keys(lines)])
    const changed = [...names].filter((name) => first[name] !== lines[name])
    if (changed.length === 0) return undefined
    const text = changed.map((name) => lines[name] ?? `${name}: none any more`).join('\n')
    const message = await this.#message('changes', `Changed since the beginning of this turn:\n${text}`)
    return message && [...messages, message]
  }

  async #message(source: string, text: string): Promise<Message | undefined> {
    const { id, maxTokens, countTokens, onContext } = this.#settings
    const render = (content: string): string => taggedText({ tag: 'editor', text: content })
    const notice = '\n[Only the beginning is shown.]'
    const isWhole = (await tokensOf(render(text), countTokens)) <= maxTokens
    const frame = await tokensOf(render(notice), countTokens)
    const left = isWhole ? text : await fitText(escapeTags(text, 'editor'), maxTokens - frame, countTokens)
    if (left === '') {
      onContext?.({ processorId: id, source, status: 'refused', reason: 'no-room' })
      return undefined
    }
    const content = render(isWhole ? left : left + notice)
    const tokens = await tokensOf(content, countTokens)
    const messageId = `${id}:${source}`
    onContext?.({ processorId: id, source, status: isWhole ? 'added' : 'cut', messageId, tokens })
    return { ...userMessage(content), id: messageId }
  }
}
