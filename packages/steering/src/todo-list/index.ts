export type { Todo, TodoStatus } from './todo.ts'
export { TodoList, type TodoListEvent, type TodoListOptions, type TodosData } from './todo-list.ts'
