export { type CreateOptions, createProject } from './create-project.ts'
export { main } from './main.ts'
export { TEMPLATES, type Template } from './templates.ts'
