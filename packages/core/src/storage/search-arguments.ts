import type { OptionNames } from '../option-names.ts'
import { checkCount, checkId, checkTime, fromCursor, ownerKey, readOptions } from './arguments.ts'
import { PAGE } from './owner.ts'
import type {
  ListMessagesWithoutVectorOptions,
  MessageFilter,
  SaveVectorsOptions,
  SearchMessagesOptions,
  SearchVectorsOptions,
  Vector,
} from './search-store.ts'
import { queryTerms } from './search-terms.ts'
import { invalidInput } from './store-errors.ts'
import { THREAD_KEY, type ThreadColumns, threadColumns } from './thread-arguments.ts'
import type { VectorSource } from './vector-source.ts'
import type { CopyVectorsOptions, DeleteVectorsOptions } from './vector-store.ts'

const FILTER: OptionNames<MessageFilter> = {
  resourceId: 'optional',
  threadId: 'optional',
  role: 'optional',
  createdFrom: 'optional',
  createdBefore: 'optional',
  metadata: 'optional',
}

const SEARCH_MESSAGES_OPTIONS: OptionNames<SearchMessagesOptions> = {
  ...FILTER,
  query: 'required',
  limit: 'optional',
}

const SAVE_VECTORS_OPTIONS: OptionNames<SaveVectorsOptions> = {
  ...THREAD_KEY,
  model: 'required',
  vectors: 'required',
}

const SEARCH_VECTORS_OPTIONS: OptionNames<SearchVectorsOptions> = {
  ...FILTER,
  model: 'required',
  vector: 'required',
  limit: 'optional',
  minScore: 'optional',
}

const COPY_VECTORS_OPTIONS: OptionNames<CopyVectorsOptions> = { ...THREAD_KEY, from: 'required' }

const DELETE_VECTORS_OPTIONS: OptionNames<DeleteVectorsOptions> = {
  resourceId: 'optional',
  threadId: 'optional',
  messageIds: 'optional',
  allThreads: 'optional',
}

const LIST_MESSAGES_WITHOUT_VECTOR_OPTIONS: OptionNames<ListMessagesWithoutVectorOptions> = {
  ...PAGE,
  resourceId: 'optional',
  threadId: 'optional',
  model: 'required',
}

export interface FilterColumns {
  owner: string
  threadId: string | undefined
  role: 'user' | 'assistant' | undefined
  /** Milliseconds since 1970. */
  createdFrom: number | undefined
  createdBefore: number | undefined
  metadata: [name: string, value: string | number | boolean | null][]
}

function parseFilter({
  resourceId,
  threadId,
  role,
  createdFrom,
  createdBefore,
  metadata = {},
}: MessageFilter): FilterColumns {
  if (role !== undefined && role !== 'user' && role !== 'assistant') {
    throw invalidInput("role must be 'user' or 'assistant'.")
  }
  return {
    owner: ownerKey(resourceId),
    threadId: threadId === undefined ? undefined : checkId('threadId', threadId),
    role,
    createdFrom: checkTime('createdFrom', createdFrom),
    createdBefore: checkTime('createdBefore', createdBefore),
    metadata: parseConditions(metadata),
  }
}

/** The values that metadata must have, by top-level key. */
export function parseConditions(metadata: NonNullable<MessageFilter['metadata']>): FilterColumns['metadata'] {
  const conditions = Object.entries(metadata)
  for (const [name, value] of conditions) {
    const isScalar = value === null || ['string', 'number', 'boolean'].includes(typeof value)
    if (!isScalar || (typeof value === 'number' && !Number.isFinite(value))) {
      throw invalidInput(`The filter metadata.${name} must be a string, a finite number, a boolean or null.`)
    }
    if (name.includes('\0') || (typeof value === 'string' && value.includes('\0'))) {
      throw invalidInput('A filter on metadata contains U+0000, which databases cannot search. Remove it.')
    }
  }
  return conditions
}

export function parseSearchMessages(given: SearchMessagesOptions): {
  filter: FilterColumns
  /** Distinct stems; empty if the query has no word. */
  terms: string[]
  limit: number
} {
  const options = readOptions('store.searchMessages()', given, SEARCH_MESSAGES_OPTIONS)
  if (typeof options.query !== 'string') throw invalidInput('query must be a string.')
  return {
    filter: parseFilter(options),
    terms: queryTerms(options.query),
    limit: checkCount('limit', options.limit, { fallback: 10 }),
  }
}

export function parseSaveVectors(given: SaveVectorsOptions): ThreadColumns & {
  model: string
  dimensions: number
  /** Each of length 1. */
  vectors: { messageId: string; vector: Float32Array<ArrayBuffer> }[]
} {
  const options = readOptions('store.saveVectors()', given, SAVE_VECTORS_OPTIONS)
  const vectors = options.vectors.map(({ messageId, vector }) => ({
    messageId: checkId('messageId', messageId),
    vector: toUnitVector(vector),
  }))
  const dimensions = vectors[0]?.vector.length ?? 0
  for (const { vector } of vectors) checkDimensions(vector.length, dimensions)
  return { ...threadColumns(options), model: checkId('model', options.model), dimensions, vectors }
}

export function parseSearchVectors(given: SearchVectorsOptions): {
  filter: FilterColumns
  model: string
  /** Of length 1. */
  vector: Float32Array<ArrayBuffer>
  limit: number
  minScore: number
} {
  const options = readOptions('store.searchVectors()', given, SEARCH_VECTORS_OPTIONS)
  const { minScore = Number.NEGATIVE_INFINITY } = options
  if (typeof minScore !== 'number' || Number.isNaN(minScore)) throw invalidInput('minScore must be a number.')
  return {
    filter: parseFilter(options),
    model: checkId('model', options.model),
    vector: toUnitVector(options.vector),
    limit: checkCount('limit', options.limit, { fallback: 10 }),
    minScore,
  }
}

export function parseVectorSource({ threadId, messages }: VectorSource): VectorSource {
  return {
    threadId: checkId('The threadId of the originals', threadId),
    messages: messages.map(({ messageId, originalId }) => ({
      messageId: checkId('messageId', messageId),
      originalId: checkId('originalId', originalId),
    })),
  }
}

export function parseCopyVectors(given: CopyVectorsOptions): ThreadColumns & { from: VectorSource } {
  const options = readOptions('store.copyVectors()', given, COPY_VECTORS_OPTIONS)
  return { ...threadColumns(options), from: parseVectorSource(options.from) }
}

/** A `threadId` of `undefined` means all threads. */
export function parseDeleteVectors(options: DeleteVectorsOptions): {
  owner: string
  threadId: string | undefined
  messageIds: string[] | undefined
} {
  const given = readOptions('store.deleteVectors()', options, DELETE_VECTORS_OPTIONS)
  const owner = ownerKey(given.resourceId)
  if (!('allThreads' in given)) {
    const messageIds = given.messageIds?.map((id) => checkId('An id in messageIds', id))
    return { owner, threadId: checkId('threadId', given.threadId), messageIds }
  }
  if (given.allThreads !== true || 'threadId' in options) {
    throw invalidInput('Pass either a threadId, or allThreads: true for all vectors of the resource.')
  }
  return { owner, threadId: undefined, messageIds: undefined }
}

export function parseListMessagesWithoutVector(given: ListMessagesWithoutVectorOptions): {
  owner: string
  threadId: string | undefined
  model: string
  limit: number
  after: number | undefined
} {
  const options = readOptions(
    'store.listMessagesWithoutVector()',
    given,
    LIST_MESSAGES_WITHOUT_VECTOR_OPTIONS,
  )
  const { resourceId, threadId, model, limit, cursor } = options
  return {
    owner: ownerKey(resourceId),
    threadId: threadId === undefined ? undefined : checkId('threadId', threadId),
    model: checkId('model', model),
    limit: checkCount('limit', limit, { fallback: 100 }),
    after: fromCursor(cursor),
  }
}

/** @throws MillraceError `STORAGE_INPUT_INVALID` */
export function checkDimensions(found: number, wanted: number): void {
  if (found === wanted) return
  throw invalidInput(
    `The vector has ${found} dimensions, but this embedding model has ${wanted}. Use a separate name for each model.`,
  )
}

/** Normalizes the vector to length 1, so that cosine similarity is a dot product. */
function toUnitVector(vector: Vector): Float32Array<ArrayBuffer> {
  let squares = 0
  for (const value of vector) squares += value * value
  const length = Math.sqrt(squares)
  if (!(length > 0 && Number.isFinite(length))) {
    throw invalidInput('A vector must have finite numbers, not all of them 0.')
  }
  return Float32Array.from(vector, (value) => value / length)
}
