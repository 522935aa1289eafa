/**
 * Adding environment or directory context.
 * Adds cwd, git branch, time. Adds directory listing.
 */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { Agent, type Processor } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

const folder = import.meta.dirname

/** Adds what is there once, before the first step; every step's prompt has it. */
const environment: Processor = {
  id: 'environment',
  async processInput({ systemMessages }) {
    const files = (await readdir(folder)).filter((name) => name.endsWith('.ts'))
    const content = `Today is ${new Date().toDateString()}. Files here: ${files.join(', ')}.`
    return { systemMessages: [...systemMessages, { role: 'system', content }] }
  },
}

const model = new ScriptedModel(['environment-context.ts adds it.'])
await new Agent({ model, processors: [environment] }).generate('Which file adds the context?')
console.log(model.lastPrompt[0]?.role) // system
assert.match(String(model.lastPrompt[0]?.content), /environment-context\.ts/)
