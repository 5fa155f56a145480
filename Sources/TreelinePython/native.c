// The part of the package that maps call in every frame: the query for a box, and the arrays of the answer. Also the
// functions that release Arrow exports.
//
// If these functions were called with ctypes, converting arguments and results would take a microsecond per call. The
// query itself also takes about a microsecond. All other functions are called with ctypes. The functions come from the
// library that ctypes has loaded.

#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#include <Python.h>
#include <dlfcn.h>
#include <numpy/arrayobject.h>

#include "treeline.h"

static struct {
  __typeof__(&treeline_clusters_in_box) clusters_in_box;
  __typeof__(&treeline_answer_arrays) answer_arrays;
  __typeof__(&treeline_answer_free) answer_free;
  /// Raises an error of the library, and frees the error.
  PyObject *raise;
} library;

/// Base class of Python's `Clusters`. An object of this class owns an answer of the library.
typedef struct {
  PyObject_HEAD
  treeline_answer *answer;
  treeline_clusters_arrays arrays;
} Answer;

static PyTypeObject *answer_type;

/// Creates an object of a class derived from `Answer`. The object owns the answer from now on.
static PyObject *owning(PyTypeObject *type, treeline_answer *answer) {
  Answer *object = (Answer *)PyType_GenericAlloc(type, 0);
  if (!object) {
    library.answer_free(answer);
    return NULL;
  }
  object->answer = answer;
  library.answer_arrays(answer, &object->arrays);
  return (PyObject *)object;
}

static PyObject *answer_new(PyTypeObject *type, PyObject *arguments, PyObject *names) {
  (void)names;
  PyObject *pointer = PyTuple_GetItem(arguments, 0);
  treeline_answer *answer = pointer ? PyLong_AsVoidPtr(pointer) : NULL;
  return answer ? owning(type, answer) : NULL;
}

static void answer_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  library.answer_free(((Answer *)self)->answer);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static Py_ssize_t answer_length(PyObject *self) { return ((Answer *)self)->arrays.count; }

static PyObject *answer_pointer(PyObject *self, void *closure) {
  (void)closure;
  return PyLong_FromVoidPtr(((Answer *)self)->answer);
}

/// Returns an array by its number in `treeline_clusters_arrays`, without a copy. The array keeps the answer alive.
static PyObject *array_of(PyObject *self, PyObject *argument, int type) {
  const treeline_clusters_arrays *arrays = &((Answer *)self)->arrays;
  long number = PyLong_AsLong(argument);
  if (number < 0 || number > 7) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_IndexError, "expected an array from 0 to 7");
    return NULL;
  }
  npy_intp count = (npy_intp)arrays->count;
  void *start = (void *)(arrays->id + count * number);
  PyObject *array = PyArray_New(&PyArray_Type, 1, &count, type, NULL, start, 0, NPY_ARRAY_CARRAY_RO, NULL);
  if (!array) return NULL;
  Py_INCREF(self);
  if (PyArray_SetBaseObject((PyArrayObject *)array, self) < 0) {
    Py_DECREF(array);
    return NULL;
  }
  return array;
}

static PyObject *answer_integers(PyObject *self, PyObject *number) { return array_of(self, number, NPY_INT64); }

static PyObject *answer_floats(PyObject *self, PyObject *number) { return array_of(self, number, NPY_FLOAT64); }

/// Reads west, south, east and north. Takes only types whose entries are found by position.
static bool read_box(PyObject *sequence, treeline_box *box) {
  if (!PyList_Check(sequence) && !PyTuple_Check(sequence) && !PyArray_Check(sequence)) {
    PyErr_SetString(PyExc_TypeError, "expected a box as a list, a tuple or an array");
    return false;
  }
  double *sides[] = {&box->west, &box->south, &box->east, &box->north};
  for (Py_ssize_t side = 0; side < 4; side++) {
    PyObject *number = PySequence_GetItem(sequence, side);
    if (!number) return false;
    *sides[side] = PyFloat_AsDouble(number);
    Py_DECREF(number);
    if (*sides[side] == -1 && PyErr_Occurred()) return false;
  }
  return true;
}

/// Calls `treeline_clusters_in_box` with the addresses of a tree and of a cut, a box, a zoom, and an answer or None.
static PyObject *answer_in_box(PyObject *type, PyObject *const *arguments, Py_ssize_t count) {
  treeline_box box;
  if (count != 5) {
    PyErr_SetString(PyExc_TypeError, "expected a tree, a cut, a box, a zoom and an answer or None");
    return NULL;
  }
  const treeline_tree *tree = PyLong_AsVoidPtr(arguments[0]);
  const treeline_cut *cut = PyLong_AsVoidPtr(arguments[1]);
  if (!tree || !cut || !read_box(arguments[2], &box)) return NULL;
  double zoom = PyFloat_AsDouble(arguments[3]);
  if (zoom == -1 && PyErr_Occurred()) return NULL;
  const treeline_answer *previous = NULL;
  if (PyObject_TypeCheck(arguments[4], answer_type)) previous = ((Answer *)arguments[4])->answer;

  treeline_error *error = NULL;
  treeline_answer *answer;
  Py_BEGIN_ALLOW_THREADS
  answer = library.clusters_in_box(tree, cut, &box, zoom, previous, &error);
  Py_END_ALLOW_THREADS
  return answer ? owning((PyTypeObject *)type, answer) : PyObject_CallFunction(library.raise, "n", (Py_ssize_t)error);
}

// MARK: Arrow exports

// The structures of Arrow's C data interface, https://arrow.apache.org/docs/format/CDataInterface.html. `owner`, which
// Arrow calls `private_data`, is a Python object that owns the memory of an export.

typedef struct schema {
  const char *format, *name, *metadata;
  int64_t flags, child_count;
  struct schema **children, *dictionary;
  void (*release)(struct schema *);
  PyObject *owner;
} schema;

typedef struct array {
  int64_t length, null_count, offset, buffer_count, child_count;
  const void **buffers;
  struct array **children, *dictionary;
  void (*release)(struct array *);
  PyObject *owner;
} array;

typedef struct stream {
  void (*get_schema)(void), (*get_next)(void), (*get_last_error)(void);
  void (*release)(struct stream *);
  PyObject *owner;
} stream;

/// Drops a reference to the owner of an export. Any thread may call this function. An error may be pending, because an
/// error that leaves a function also deletes the tables of this function. Python code must not run while an error is
/// pending, so the error is put aside.
static void drop(PyObject *owner) {
  // Some exports are released after Python has ended.
  if (!Py_IsInitialized()) return;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  Py_DECREF(owner);
  PyErr_Restore(type, value, traceback);
  PyGILState_Release(state);
}

static void release_schema(schema *export) {
  for (int64_t number = 0; number < export->child_count; number++) {
    schema *child = export->children[number];
    // If a consumer has taken over a child, the child has no release function.
    if (child->release) child->release(child);
  }
  export->release = NULL;
  drop(export->owner);
}

static void release_array(array *export) {
  for (int64_t number = 0; number < export->child_count; number++) {
    array *child = export->children[number];
    if (child->release) child->release(child);
  }
  export->release = NULL;
  drop(export->owner);
}

static void release_stream(stream *export) {
  export->release = NULL;
  drop(export->owner);
}

static const char stream_name[] = "arrow_array_stream";

static void destroy_capsule(PyObject *capsule) {
  stream *export = PyCapsule_GetPointer(capsule, stream_name);
  PyObject *memory = PyCapsule_GetContext(capsule);
  if (export->release) export->release(export);
  drop(memory);
}

/// Returns a capsule with a stream, given by its address and the object that owns its memory.
static PyObject *stream_capsule(PyObject *module, PyObject *arguments) {
  (void)module;
  PyObject *address, *memory;
  if (!PyArg_ParseTuple(arguments, "OO", &address, &memory)) return NULL;
  void *export = PyLong_AsVoidPtr(address);
  PyObject *capsule = export ? PyCapsule_New(export, stream_name, NULL) : NULL;
  if (!capsule) return NULL;
  Py_INCREF(memory);
  PyCapsule_SetContext(capsule, memory);
  PyCapsule_SetDestructor(capsule, destroy_capsule);
  return capsule;
}

// MARK: Module

/// Binds the library, given by a handle from dlopen, and a function that raises the library's errors.
static PyObject *bind(PyObject *module, PyObject *arguments) {
  (void)module;
  PyObject *handle, *raise;
  if (!PyArg_ParseTuple(arguments, "OO", &handle, &raise)) return NULL;
  void *opened = PyLong_AsVoidPtr(handle);
  if (!opened) return NULL;
  library.clusters_in_box = (__typeof__(library.clusters_in_box))dlsym(opened, "treeline_clusters_in_box");
  library.answer_arrays = (__typeof__(library.answer_arrays))dlsym(opened, "treeline_answer_arrays");
  library.answer_free = (__typeof__(library.answer_free))dlsym(opened, "treeline_answer_free");
  Py_INCREF(raise);
  library.raise = raise;
  Py_RETURN_NONE;
}

static PyMethodDef answer_methods[] = {
    {"_integers", answer_integers, METH_O, NULL},
    {"_floats", answer_floats, METH_O, NULL},
    {"_in_box", (PyCFunction)(void (*)(void))answer_in_box, METH_FASTCALL | METH_CLASS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef answer_properties[] = {
    {"_pointer", answer_pointer, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot answer_slots[] = {
    {Py_tp_new, answer_new},
    {Py_tp_dealloc, answer_dealloc},
    {Py_tp_methods, answer_methods},
    {Py_tp_getset, answer_properties},
    {Py_sq_length, answer_length},
    {0, NULL},
};

static PyType_Spec answer_spec = {
    .name = "treelinemap._native.Answer",
    .basicsize = sizeof(Answer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = answer_slots,
};

static PyMethodDef functions[] = {
    {"bind", bind, METH_VARARGS, NULL},
    {"stream_capsule", stream_capsule, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_native", .m_size = -1, .m_methods = functions};

PyMODINIT_FUNC PyInit__native(void) {
  import_array();
  PyObject *module = PyModule_Create(&definition);
  answer_type = (PyTypeObject *)PyType_FromSpec(&answer_spec);
  if (!module || !answer_type || PyModule_AddType(module, answer_type) < 0) return NULL;
  PyObject *releases =
      Py_BuildValue("nnn", (Py_ssize_t)release_schema, (Py_ssize_t)release_array, (Py_ssize_t)release_stream);
  if (!releases || PyModule_AddObject(module, "releases", releases) < 0) return NULL;
  return module;
}
