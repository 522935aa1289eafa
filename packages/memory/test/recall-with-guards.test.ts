// The plan's tests of recall with others, under its names: see docs/tests-of-the-plan.md for what each is adapted to.
import { Agent } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { PromptInjectionDetector } from '@millrace/guards/prompt-injection'
import { UnicodeNormalizer } from '@millrace/guards/unicode-normalizer'
import { ScriptedModel } from '@millrace/testing'
import { describe, expect, test, vi } from 'vitest'
import { Memory } from '../src/index.ts'
import { ConceptEmbedder } from './concept-embedder.ts'
import { INJECTION } from './said.ts'
import { watchStore } from './watched-store.ts'

describe('SemanticRecall with other processors', () => {
  test('input validation happens before semantic search', async () => {
    const { storage, calls } = watchStore()
    const embedder = new ConceptEmbedder()
    const memory = new Memory({ storage, semanticRecall: { embedder } })
    const agent = new Agent({
      model: new ScriptedModel(['Never said']),
      inputProcessors: [new PromptInjectionDetector({ strategy: 'block' }), memory],
    })
    const result = await agent.generate(INJECTION)
    expect(result.tripwire).toBe(true)
    expect(calls).toEqual([])
    expect(embedder.calls).toEqual([])
  })

  test('normalized input used for semantic search', async () => {
    // What the search is asked for: it folds ligatures by itself, so that it finds something proves nothing.
    const storage = new InMemoryStore()
    const search = vi.spyOn(storage, 'searchMessages')
    const memory = new Memory({ storage, semanticRecall: true, lastMessages: false })
    await memory.saveMessages([
      { role: 'user', content: 'Where is the file?' },
      { role: 'assistant', content: 'It lies in the blue cabinet.' },
    ])
    const model = new ScriptedModel(['In the cabinet.', 'I do not know.'])
    const agent = new Agent({ model, inputProcessors: [new UnicodeNormalizer(), memory] })
    await agent.generate('Find the ﬁle')
    expect(search.mock.calls).toMatchObject([[{ query: 'Find the file' }]])
    expect(JSON.stringify(model.lastPrompt)).toContain('blue cabinet')
  })

  test('semantic recall adds context before message history', async () => {
    const memory = new Memory({ lastMessages: 2, semanticRecall: true })
    await memory.saveMessages([
      { role: 'user', content: 'API documentation needed' },
      { role: 'assistant', content: 'Here is the API guide...' },
      { role: 'user', content: 'Thanks' },
      { role: 'assistant', content: 'You are welcome.' },
    ])
    const agent = new Agent({ model: new ScriptedModel(['As the guide says.']), memory })
    await agent.generate('How do I use the API?')
    const messages = agent.getLastMessages().map((message) => JSON.stringify(message))
    const semanticContext = messages.findIndex((message) => message.includes('API guide'))
    const history = messages.findIndex((message) => message.includes('Thanks'))
    expect(messages[semanticContext]).toContain('recalled-messages')
    expect(semanticContext).toBeGreaterThanOrEqual(0)
    expect(semanticContext).toBeLessThan(history)
  })
})
