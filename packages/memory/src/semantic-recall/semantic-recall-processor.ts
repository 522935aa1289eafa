import {
  type Message,
  type MessageFilter,
  type MessageList,
  MillraceError,
  type OptionNames,
  type ProcessInputArgs,
  type ProcessOutputResultArgs,
  type Processor,
  requireCount,
  requireFraction,
  requireOptions,
  type Store,
  type StoredMessage,
  type ThreadKey,
  textOfParts,
  type VectorStore,
} from '@millrace/core'
import { insertBeforeHistory } from '../context-message.ts'
import { newestUserMessage } from '../message-history/newest-user-message.ts'
import { messagesOf } from '../observations/range-messages.ts'
import { THREAD_PLACE_OPTIONS, type ThreadPlaceOptions, threadKeyOf } from '../thread-place.ts'
import { embedMessages } from './embed-messages.ts'
import { Embedder, type EmbeddingModel } from './embedder.ts'
import { loadSearch } from './load-search.ts'
import { isRecallable, rangeOf, scopeOf, withNeighbours } from './recall-scope.ts'
import { recallVectors } from './recall-vectors.ts'
import { recalledMessage } from './recalled-message.ts'
import type { MessageRange } from './surroundings.ts'
import { turnsBefore } from './turns-before.ts'

export interface SemanticRecallOptions {
  /**
   * The maximum number of recalled messages, without their neighbors. Of messages that say nearly the same,
   * only the best is recalled. Default: 4.
   */
  topK?: number
  /** How many messages before and after each recalled message are added. Default: 1 of each. */
  messageRange?: number | { before: number; after: number }
  /**
   * With an `embedder`: the minimum cosine similarity of recalled messages, -1 to 1. A message that is found
   * only by words, or has no vector yet, is then not recalled. Default: none.
   */
  threshold?: number
  /**
   * The share of the question's words that some message and its neighbors must contain, 0 to 1; rare words
   * count more. If no message reaches it, nothing is recalled by words. With 0, one common word is enough,
   * and small talk, such as thanks, also recalls messages. Default: 0.25.
   */
  minCoverage?: number
  /**
   * `resource`: all threads of the resource are searched. `thread`: only the current one, also if there is no
   * resource. Default: `resource`.
   */
  scope?: 'thread' | 'resource'
  /** An embedding model of the AI SDK: messages are also searched by meaning. Default: only by words. */
  embedder?: EmbeddingModel
  /** Where vectors are stored and searched, with an `embedder`. Default: in the storage. */
  vectors?: VectorStore
  /**
   * Where recalled messages are placed in the prompt. Before the history, they change the beginning of the
   * prompt with every turn, so providers cannot cache it. `before-input`, before the user's new message,
   * avoids that. Default: `before-history`.
   */
  position?: 'before-history' | 'before-input'
  /** Which messages can be recalled. Default: all. */
  filter?: Pick<MessageFilter, 'role' | 'createdFrom' | 'createdBefore' | 'metadata'>
}

export const SEMANTIC_RECALL_OPTIONS: OptionNames<SemanticRecallOptions> = {
  topK: 'optional',
  messageRange: { before: 'required', after: 'required' },
  threshold: 'optional',
  minCoverage: 'optional',
  scope: 'optional',
  embedder: 'optional',
  vectors: 'optional',
  position: 'optional',
  filter: { role: 'optional', createdFrom: 'optional', createdBefore: 'optional', metadata: 'optional' },
}

export interface SemanticRecallProcessorOptions extends SemanticRecallOptions, ThreadPlaceOptions {
  storage: Store
  /** Default: `semantic-recall`. */
  id?: string
  /** What happens when the store or the embedding model fails. Default: `skip`, with the error in `result.warnings`. */
  onError?: 'fail' | 'skip'
}

const SEMANTIC_RECALL_PROCESSOR_OPTIONS: OptionNames<SemanticRecallProcessorOptions> = {
  ...SEMANTIC_RECALL_OPTIONS,
  ...THREAD_PLACE_OPTIONS,
  storage: 'required',
  id: 'optional',
  onError: 'optional',
}

/**
 * Recalls earlier messages that are relevant to what the user says, by words and, with an embedding model, by
 * meaning. They are added before the conversation as one context message. The query is the user's text as
 * earlier processors left it. After the answer, it embeds the turn in the background: put it after the
 * processor that saves messages.
 *
 * @example
 * new Agent({ model, processors: [history, new SemanticRecallProcessor({ storage })] })
 */
export class SemanticRecallProcessor implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly exclusive = 'semantic-recall'
  readonly #options: SemanticRecallProcessorOptions
  readonly #topK: number
  readonly #range: MessageRange
  readonly #minCoverage: number | undefined
  #embedder: Embedder | undefined
  /** Only with an embedding model. */
  readonly processOutputResult?: (args: ProcessOutputResultArgs) => void

  constructor(given: SemanticRecallProcessorOptions) {
    const options = requireOptions('SemanticRecallProcessor', given, SEMANTIC_RECALL_PROCESSOR_OPTIONS)
    const { id = 'semantic-recall', onError = 'skip', topK = 4, messageRange = 1, embedder } = options
    this.id = id
    this.onError = onError
    this.#options = options
    this.#topK = requireCount('topK', topK, 1)
    const range = rangeOf(messageRange)
    this.#range = {
      before: requireCount('messageRange', range.before, 0),
      after: requireCount('messageRange', range.after, 0),
    }
    this.#minCoverage = requireFraction('minCoverage', options.minCoverage)
    checkCapabilities(options)
    if (!embedder) return
    const own = Embedder.of(embedder)
    this.#embedder = own
    this.processOutputResult = (args) => {
      if (!args.result.objectError) args.waitUntil(this.#embedTurn(args, own))
    }
  }

  /** Loads what searches. */
  async warmUp(): Promise<void> {
    await loadSearch()
  }

  async processInput({ messageList, requestContext, abortSignal, state }: ProcessInputArgs): Promise<void> {
    const threadKey = await threadKeyOf(this.#options, requestContext)
    if (!threadKey) return
    if (this.#options.vectors) state.followers = await this.#messagesAfter(messageList, threadKey)
    const query = lastUserText(messageList.get('input'))
    if (query.trim() === '') return

    const { storage, threshold } = this.#options
    const filter = scopeOf(threadKey, this.#options)
    const { searchMemory, withoutNearDuplicates } = await loadSearch()
    const { hits, failure, surroundings } = await searchMemory({
      storage,
      embedder: this.#embedder,
      vectors: this.#options.vectors,
      filter,
      query,
      before: turnsBefore(messageList),
      threshold,
      minCoverage: this.#minCoverage,
      unwanted: messageList.get().length,
      abortSignal,
    })
    const isWanted = await this.#isWanted(hits, { messageList, threadKey })
    const found = withoutNearDuplicates(hits.filter(isWanted), { text: query, count: this.#topK })
    const recalled = await withNeighbours(found, {
      storage,
      resourceId: threadKey.resourceId,
      range: this.#range,
      known: surroundings,
    })
    const unknown = recalled.filter(isWanted)
    if (unknown.length > 0) {
      const message = recalledMessage(unknown, this.id)
      if (this.#options.position === 'before-input') messageList.add(message, 'context')
      else insertBeforeHistory(messageList, message)
    }
    // The hits of the word search are used; `onError` decides what the failed vector search means.
    if (failure !== undefined) throw failure
  }

  /** Ids of the messages after the user message in the thread: a regenerated turn removes them. */
  async #messagesAfter(messageList: MessageList, key: ThreadKey): Promise<string[]> {
    const firstId = newestUserMessage(messageList.get('input'))?.id
    if (firstId === undefined) return []
    const range = { threadId: key.threadId, firstId, from: 0, to: Number.POSITIVE_INFINITY }
    return (await messagesOf(this.#options.storage, key, range)).slice(1).map(({ message }) => message.id)
  }

  /** Deletes the vectors of messages that the turn has removed. */
  async #deleteVectors(followers: readonly string[], { threadId, resourceId }: ThreadKey): Promise<void> {
    const { storage, vectors } = this.#options
    if (!vectors || followers.length === 0) return
    const messages = followers.map((messageId) => ({ threadId, messageId }))
    const left = new Set(
      (await storage.getMessages({ resourceId, messages })).map(({ message }) => message.id),
    )
    const messageIds = followers.filter((id) => !left.has(id))
    if (messageIds.length > 0) await vectors.deleteVectors({ threadId, resourceId, messageIds })
  }

  /** Excludes messages that the model receives anyway, and messages that a regenerated turn removes. */
  async #isWanted(
    hits: readonly StoredMessage[],
    { messageList, threadKey }: { messageList: MessageList; threadKey: ThreadKey },
  ): Promise<(stored: StoredMessage) => boolean> {
    const { threadId, resourceId } = threadKey
    const messageId = newestUserMessage(messageList.get('input'))?.id
    const isOwn = ({ message }: StoredMessage): boolean => message.threadId === threadId
    const again =
      messageId !== undefined && hits.some(isOwn)
        ? await this.#options.storage.getMessages({ resourceId, messages: [{ threadId, messageId }] })
        : []
    const end = again[0]?.sequence ?? Number.POSITIVE_INFINITY
    return (stored) =>
      isRecallable(stored) &&
      !messageList.has(stored.message.id) &&
      !(isOwn(stored) && stored.sequence >= end)
  }

  async #embedTurn(
    { messageList, requestContext, state }: ProcessOutputResultArgs,
    embedder: Embedder,
  ): Promise<void> {
    const messages = [...messageList.get('input'), ...messageList.get('response')]
    const threadKey = await threadKeyOf(this.#options, requestContext)
    if (!threadKey) return
    const { storage, vectors } = this.#options
    await this.#deleteVectors((state.followers as string[] | undefined) ?? [], threadKey)
    await embedMessages(messages, { vectors: recallVectors(storage, vectors), embedder, ...threadKey })
  }
}

function lastUserText(messages: readonly Message[]): string {
  const last = messages.findLast(({ role }) => role === 'user')
  return last ? textOfParts(last.content.parts) : ''
}

function checkCapabilities({ storage, embedder, vectors: own }: SemanticRecallProcessorOptions): void {
  const { search, vectors } = storage.capabilities
  if (!search) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'The storage cannot search messages, which semantic recall needs. Use a store with capabilities.search.',
    )
  }
  if (own && !embedder) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'semanticRecall.vectors is set without semanticRecall.embedder. Set embedder to an embedding model, or remove vectors.',
    )
  }
  if (embedder && !vectors && !own) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'The storage does not support vectors, which semanticRecall.embedder needs. Use a store with capabilities.vectors, set semanticRecall.vectors, or remove embedder.',
    )
  }
}
