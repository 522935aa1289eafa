import { testStorage, testStorageInProcesses } from '@millrace/testing'
import { create, remove } from './open-store.ts'
import { TemplateStore } from './template-store.ts'

testStorage('TemplateStore', { create: () => new TemplateStore({ path: ':memory:' }) })
testStorage('TemplateStore in a file', { create, remove })
testStorageInProcesses('TemplateStore', { module: new URL('./open-store.ts', import.meta.url) })
