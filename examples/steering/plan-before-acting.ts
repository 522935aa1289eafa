/** Plans with one model, works with another, and keeps a to-do list. */
import assert from 'node:assert/strict'
import { Agent, tool } from '@millrace/core'
import { TodoList } from '@millrace/steering/todo-list'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const plan = (...statuses: string[]) =>
  toolCall('write_todos', {
    todos: ['Find flights to Oslo', 'Find a hotel', 'Write the itinerary'].map((content, index) => ({
      content,
      status: statuses[index],
    })),
  })

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const planner = new ScriptedModel([plan('pending', 'pending', 'pending')])
const worker = new ScriptedModel([
  [toolCall('search', { query: 'flights to Oslo' }), toolCall('search', { query: 'hotels in Oslo' })],
  plan('completed', 'completed', 'in_progress'),
  plan('completed', 'completed', 'completed'),
  'Fly on Monday, stay at the Fjord.',
])

const todoList = new TodoList({
  onUpdate: ({ todos }) => console.log(todos.map(({ status, content }) => `${status}: ${content}`)),
})
const agent = new Agent({
  model: worker,
  tools: {
    ...todoList.tools,
    search: tool({ inputSchema: z.object({ query: z.string() }), execute: ({ query }) => `found ${query}` }),
  },
  processors: [todoList],
  // A strong model makes the plan; the agent's own model executes it.
  prepareStep: ({ stepNumber }) =>
    stepNumber === 0 ? { model: planner, toolChoice: { type: 'tool', toolName: 'write_todos' } } : {},
})

const { text } = await agent.generate('Plan a trip to Oslo.')
assert.equal(text, 'Fly on Monday, stay at the Fjord.')
// The worker sees the plan before it does anything.
assert.match(JSON.stringify(worker.calls[0]?.prompt.at(-1)), /\[ \] Find flights to Oslo/)
