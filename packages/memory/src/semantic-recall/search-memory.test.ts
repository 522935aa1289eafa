import { userMessage } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { ConceptEmbedder } from '../../test/concept-embedder.ts'
import { backfill } from './backfill.ts'
import { Embedder, type EmbeddingModel } from './embedder.ts'
import { type SearchMemoryOptions, searchMemory } from './search-memory.ts'

const filter = { resourceId: 'ada' }
let storage: InMemoryStore

beforeEach(async () => {
  storage = new InMemoryStore()
  await say([
    'My sister Ida keeps bees near Lund.',
    'How many hives does she have?',
    'Seven, at the edge of the wood.',
    'The ferry leaves at noon.',
    'I bought a red umbrella.',
    'My puppy chewed the sofa.',
  ])
})

test.each([
  ['And what about her?', ['Where does my sister Ida live?', 'I do not know.'], 'Ida'],
  ['And how many does she have?', ['Do you know about the bees?'], 'bees'],
  ['Und wo war das?', ['Die Fähre: ferry at noon'], 'ferry'],
  ['¿Y eso?', ['the red umbrella'], 'umbrella'],
])('%s is searched with the turns before it', async (query, before, wanted) => {
  expect((await search(query, { before }))[0]).toContain(wanted)
  expect((await search('Where is the umbrella?', { before }))[0]).toContain('umbrella')
})

test('a self-contained text is searched without the turns before it', async () => {
  const alone = await search('When does the ferry leave in the morning?')
  expect(
    await search('When does the ferry leave in the morning?', { before: ['The puppy and the sofa'] }),
  ).toEqual(alone)
})

test('thanks for an answer do not recall it', async () => {
  expect(await search('Thanks, that is great!', { before: ['How many hives?', 'Seven hives.'] })).toEqual([])
})

test('a threshold also applies to hits by words', async () => {
  const embedder = new ConceptEmbedder()
  await backfill({ storage, embedder }, filter)
  expect(await search('What does the hound do with the umbrella?', { embedder, threshold: 0.9 })).toEqual([
    'My puppy chewed the sofa.',
  ])
  expect(await search('the umbrella', { threshold: 0.9 })).toContain('I bought a red umbrella.')
})

test('a useless embedding model makes results no worse than word search', async () => {
  const words = ['bees', 'ferry', 'noon', 'Lund', 'umbrella', 'wood', 'hives', 'puppy', 'sofa', 'seven']
  await say(
    Array.from({ length: 60 }, (_, index) => `${words[index % 10]} ${words[(index * 7) % 10]} ${index}`),
  )
  const embedder = noise()
  await backfill({ storage, embedder }, filter)
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }),
      async (query) => {
        const found = (texts: readonly string[]): number =>
          texts.slice(0, 5).flatMap((text) => query.filter((word) => text.includes(word))).length
        const alone = await search(query.join(' '))
        expect(found(await search(query.join(' '), { embedder }))).toBeGreaterThanOrEqual(found(alone))
      },
    ),
    { numRuns: 50 },
  )
})

test('what only the vector search finds is found', async () => {
  const embedder = new ConceptEmbedder()
  await backfill({ storage, embedder }, filter)
  expect((await search('Does the hound behave?', { embedder }))[0]).toContain('puppy')
})

test('only the beginning of a long text is searched', async () => {
  const query = `Where are the bees? ${'8 May 2026 umbrella? '.repeat(50_000)}`
  expect((await search(query)).length).toBeGreaterThan(0)
  expect((await search('And her?', { before: ['bees '.repeat(200_000)] }))[0]).toContain('bees')
})

async function say(texts: readonly string[]): Promise<void> {
  await storage.saveMessages({ threadId: 't', ...filter, messages: texts.map((text) => userMessage(text)) })
}

async function search(
  query: string,
  {
    embedder,
    ...options
  }: Partial<Omit<SearchMemoryOptions, 'embedder'>> & { embedder?: EmbeddingModel } = {},
): Promise<string[]> {
  const { hits } = await searchMemory({
    storage,
    filter,
    query,
    embedder: embedder && Embedder.of(embedder),
    ...options,
  })
  return hits.map(({ message }) => {
    const [part] = message.content.parts
    return part?.type === 'text' ? (part.text as string) : ''
  })
}

/** Vectors that have nothing to do with their texts. */
function noise(): EmbeddingModel {
  return {
    provider: 'scripted',
    modelId: 'noise',
    maxEmbeddingsPerCall: 100,
    doEmbed: async ({ values }) => ({
      embeddings: values.map((text) => {
        let state = [...text].reduce(
          (hash, character) => Math.imul(hash ^ character.charCodeAt(0), 16_777_619),
          7,
        )
        return Array.from({ length: 32 }, () => {
          state = Math.imul(state ^ (state >>> 15), 2_246_822_519) + 1
          return (state >>> 8) / 2 ** 24 - 0.5
        })
      }),
    }),
  }
}
